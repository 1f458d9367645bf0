/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formats with several values in a word, in clconvert and clvideo: videoconvert packs and unpacks, the reference in doubles
 * converts. */

#include "../../elements/filtercase.hpp"
#include "../../elements/pipeline.hpp"
#include "reference.hpp"

namespace test::convert_packed_suite {

static Tests tests ("convert_packed", Needs::Device);

/* A packed format, and the unpacked format with the same samples. */
struct Packed {
  GstVideoFormat format, plain;
  bool has_alpha = false;
};
constexpr Packed packed_formats[] = {
    {GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_I422_10LE},
    {GST_VIDEO_FORMAT_Y210, GST_VIDEO_FORMAT_I422_10LE},
    {GST_VIDEO_FORMAT_Y410, GST_VIDEO_FORMAT_Y444_10LE, true},
    {GST_VIDEO_FORMAT_BGR10A2_LE, GST_VIDEO_FORMAT_GBR_10LE, true},
    {GST_VIDEO_FORMAT_GRAY10_LE32, GST_VIDEO_FORMAT_GRAY16_LE},
};
constexpr int height = 7;

const std::string own = "clconvert dither=none primaries=none", other = "videoconvert dither=none";

static std::string
caps_text (GstVideoFormat id, int width)
{
  return format ("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1,pixel-aspect-ratio=1/1",
      gst_video_format_to_string (id), width, height);
}

/* Filters a buffer with a piece of launch line. */
static GstBuffer *
run (const std::string &line, const std::string &in_caps, const std::string &out_caps, GstBuffer *buffer)
{
  Link link (line, in_caps, out_caps);
  return link.filter (buffer);
}

static ref::Picture
run (const std::string &line, const ref::Picture &in, GstVideoFormat to)
{
  const std::string in_caps = caps_text (in.layout->format, in.width), out_caps = caps_text (to, in.width);
  Link link (line, in_caps, out_caps);
  return through (link, in);
}

/* Noise that ten bits can represent; for gray of 16 bits, as videoconvert expands ten. */
static ref::Picture
noise_of (GstVideoFormat id, int width)
{
  ref::Picture picture = ref::bounded (random_picture (id, width, height, 31));
  for (ref::Component &component : picture.components)
    for (int &v : component.value)
      v = id == GST_VIDEO_FORMAT_GRAY16_LE ? (v >> 6) << 6 | v >> 10 : v;
  return picture;
}

static std::string
name_of (GstVideoFormat id, int width)
{
  return format ("%s, %d wide", gst_video_format_to_string (id), width);
}

/* Packed formats as input. */
TEST (to_pixels, std::size (packed_formats))
{
  const auto [id, plain, has_alpha] = packed_formats[__i__];
  for (const int width : {37, 50, 60}) {
    const ref::Picture in = noise_of (plain, width);
    const std::string line = other + " ! " + caps_text (id, width) + " ! " + own;
    const ref::Picture expected = ref::convert (in, ref::make_picture (GST_VIDEO_FORMAT_RGBA, width, height), {});
    expect_same (run (line, in, GST_VIDEO_FORMAT_RGBA), expected, name_of (id, width), 1, "a");
  }
}

/* Packed formats as output, with every pixel of the last group. */
TEST (from_planes, std::size (packed_formats))
{
  const auto [id, plain, has_alpha] = packed_formats[__i__];
  for (const int width : {37, 50, 60}) {
    const ref::Picture in = noise_of (GST_VIDEO_FORMAT_I420, width);
    const std::string line = own + " ! " + caps_text (id, width) + " ! " + other;
    const ref::Picture expected = ref::convert (in, ref::make_picture (plain, width, height), {});
    const int step = plain == GST_VIDEO_FORMAT_GRAY16_LE ? 65 : 1; /* ten bits in sixteen */
    expect_same (run (line, in, plain), expected, name_of (id, width), step, "a");
  }
}

/* Two bits of alpha represent four levels. */
TEST (alpha, std::size (packed_formats))
{
  const auto [id, plain, has_alpha] = packed_formats[__i__];
  if (!has_alpha)
    return;
  const ref::Picture in = noise_of (GST_VIDEO_FORMAT_RGBA, 40);
  const std::string between = " ! " + caps_text (id, 40) + " ! ";
  const ref::Picture there = run (own + between + other, in, GST_VIDEO_FORMAT_RGBA);
  const ref::Picture back = run (other + between + own, in, GST_VIDEO_FORMAT_RGBA);
  for (int i = 0; i < 40 * height; i++) {
    const int a = in.find ('a')->value[i];
    fail_unless_equals_int (there.find ('a')->value[i] >> 6, (a + 42) / 85); /* rounds to nearest */
    fail_unless_equals_int (back.find ('a')->value[i], (a >> 6) * 85);       /* videoconvert truncates */
  }
}

/* Samples of v210 with any width do not change, in system memory and on the device. */
TEST (widths)
{
  for (const int width : {1, 2, 3, 4, 5, 6, 7, 11, 12, 47, 48, 49, 64}) {
    const ref::Picture in = noise_of (GST_VIDEO_FORMAT_I422_10LE, width);
    for (const char *memory : {"", "(memory:OpenCLMemory)"})
      for (const GstVideoFormat id : {GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_Y210}) {
        std::string caps = caps_text (id, width);
        caps.insert (strlen ("video/x-raw"), memory);
        expect_same (run (own + " ! " + caps + " ! " + own, in, in.layout->format), in, caps);
      }
  }
}

/* Strides of another element. */
TEST (strides)
{
  constexpr int width = 50, row = (width + 5) / 6 * 16;
  const std::string v210 = caps_text (GST_VIDEO_FORMAT_v210, width);
  const std::string plain = caps_text (GST_VIDEO_FORMAT_I422_10LE, width);
  const ref::Picture in = noise_of (GST_VIDEO_FORMAT_I422_10LE, width);
  const Own tight = run (own, plain, v210, to_buffer (in, Storage::Tight, plain));
  const GstVideoInfo info = info_of (v210);
  for (const int stride : {row, row + 4, row + 7, 4 * row})
    for (const gsize offset : {0, 3, 16}) {
      std::vector<guint8> bytes (offset + size_t (stride) * height, 0xa5);
      gsize offsets[GST_VIDEO_MAX_PLANES] = {offset};
      gint strides[GST_VIDEO_MAX_PLANES] = {stride};
      for (int y = 0; y < height; y++)
        gst_buffer_extract (tight, size_t (y) * info.stride[0], bytes.data () + offset + size_t (y) * stride, row);
      GstBuffer *buffer = gst_buffer_new_memdup (bytes.data (), bytes.size ());
      gst_buffer_add_video_meta_full (
          buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_v210, width, height, 1, offsets, strides);
      const Own result = run (own, v210, plain, buffer);
      expect_same (from_buffer (result, plain), in, format ("stride %d, offset %zu", stride, size_t (offset)));
    }
}

/* clvideo takes and produces packed formats, passes frames that need no change, and maps HDR to SDR. */
TEST (video_bin)
{
  const ref::Picture in = noise_of (GST_VIDEO_FORMAT_I422_10LE, 48);
  const std::string v210 = caps_text (GST_VIDEO_FORMAT_v210, 48);
  expect_same (run (own + " ! " + v210 + " ! clvideo ! " + v210 + " ! " + own, in, in.layout->format), in, "clvideo");
  Pipeline hdr (
      "videotestsrc num-buffers=1 ! video/x-raw,format=I422_10LE,width=48,height=32 ! clconvert ! "
      "video/x-raw,format=v210,colorimetry=bt2100-pq ! clvideo filters=clcolormatrix ! capsfilter name=end ! fakesink");
  hdr.must_reach (GST_STATE_PAUSED);
  const Own caps = caps_at (hdr.element ("end"), "src");
  test_check (info_of (caps).colorimetry.transfer == GST_VIDEO_TRANSFER_BT709, "HDR became %" GST_PTR_FORMAT, caps.get ());
}

}  // namespace test::convert_packed_suite
