/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clconvert's negotiation against videoconvertscale's: the same caps go through both. Among formats with equal losses each takes
 * the first of its own list, so no case here has such formats. */
#include "../../elements/link.hpp"

namespace test::convert_caps_suite {

static Tests tests ("convert_caps", Needs::Device);

constexpr const char *inputs[] = {
    "video/x-raw,format=NV12,width=1920,height=1080,framerate=25/1,pixel-aspect-ratio=1/1,colorimetry=bt709,chroma-site=mpeg2",
    "video/x-raw,format=I420,width=720,height=576,framerate=25/1,pixel-aspect-ratio=16/11,colorimetry=bt601,chroma-site=mpeg2",
    "video/x-raw,format=RGBA,width=640,height=480,framerate=30/1,pixel-aspect-ratio=1/1,colorimetry=sRGB",
    "video/x-raw,format=P010_10LE,width=3840,height=2160,framerate=50/1,pixel-aspect-ratio=1/1,colorimetry=bt2100-pq",
    "video/x-raw,format=v210,width=1918,height=1080,framerate=25/1,pixel-aspect-ratio=1/1,colorimetry=bt709",
};

constexpr const char *wanted[] = {
    "video/x-raw",
    "video/x-raw,format=RGBA",
    "video/x-raw,format=(string){BGRx,RGBA,AYUV}",
    "video/x-raw,format=(string){GRAY8,RGB,Y42B}",
    "video/x-raw,format=(string){I420,P010_10LE,Y444_10LE}",
    "video/x-raw,format=(string){GRAY16_LE,NV12}",
    "video/x-raw,format=(string){UYVY,v210}",
    "video/x-raw,format=(string){v210,Y410}",
    "video/x-raw,width=640",
    "video/x-raw,height=360",
    "video/x-raw,width=640,height=640",
    "video/x-raw,width=1280,height=720,pixel-aspect-ratio=1/1",
    "video/x-raw,height=360,pixel-aspect-ratio=1/1",
    "video/x-raw,width=[1,500],height=[1,400],pixel-aspect-ratio=1/1",
    "video/x-raw,width=[1,500],height=[1,400]",
    "video/x-raw,width=(int){320,640,800},height=(int){240,480,600}",
    "video/x-raw,pixel-aspect-ratio=1/1",
    "video/x-raw,pixel-aspect-ratio=(fraction){1/1,4/3}",
    "video/x-raw,format=(string){RGB,I420},width=[16,1000],pixel-aspect-ratio=1/1",
    "video/x-raw,width=[2000,4000]",
    "video/x-raw,height=[100,200],width=[1,1000],pixel-aspect-ratio=[1/2,2/1]",
};

void
expect_their_choice (const char *in, const char *out)
{
  const Own own = negotiated ("clconvert", in, out), other = negotiated ("videoconvertscale", in, out);
  test_check (own && other, "%s for %s: nothing by %s", in, out, own ? "videoconvertscale" : "clconvert");
  test_check (gst_caps_is_equal (own, other), "%s for %s is %" GST_PTR_FORMAT ", videoconvertscale has %" GST_PTR_FORMAT, in,
      out, own.get (), other.get ());
}

TEST (side_by_side, std::size (inputs))
{
  for (const char *out : wanted)
    expect_their_choice (inputs[__i__], out);
}

/* Where each format loses depth, the one that loses least is taken. */
TEST (depths)
{
  const std::string size = ",width=64,height=48,framerate=25/1,pixel-aspect-ratio=1/1";
  for (const auto &[from, to] : {std::pair ("GRAY16_LE", "{NV12,P010_10LE}"), {"Y444_16LE", "{A420,NV12,P010_10LE}"},
           {"RGB16", "{RGB15,RGB}"}, {"RGBA64_LE", "{BGRA,RGBA64_LE}"}})
    expect_their_choice (("video/x-raw,format=" + std::string (from) + size).c_str (),
        ("video/x-raw,format=(string)" + std::string (to)).c_str ());
}

}  // namespace test::convert_caps_suite
