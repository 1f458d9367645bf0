/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters that process packed 4:2:2 directly: they give the same samples as planar 4:2:2, whatever part of a frame is
 * filtered. */
#include "../elements/filtercase.hpp"
#include "../elements/pipeline.hpp"

namespace test::words_suite {

static Tests tests ("words", Needs::Device);

const char *const lines[] = {"clconvolve preset=sharpen", "clconvolve preset=edge border=constant mix=0.25",
    "clconvolve matrix=\"0.3 0.1 2;0.2 0.5 1\" border=wrap roi-x=5 roi-y=3 roi-width=51 roi-height=20", "clmedian",
    "clmedian radius=2 border=constant", "clmedian border=wrap", "clmedian border=wrap planes=u",
    "clmedian threshold=0.1 border=reflect", "clmedian roi-x=5 roi-y=3 roi-width=75 roi-height=20",
    "clmedian mix=0.5 border=constant border-value=0.3", "clsobel", "clsobel domain=per-component border=constant",
    "clsobel roi-x=5 roi-y=3 roi-width=51 roi-height=20", "clsobel planes=y", "clprewitt planes=y+v output=x", "clthreshold",
    "clthreshold type=trunc mix=0.3", "clthreshold method=otsu domain=per-component", "clthreshold roi-x=7 roi-width=51",
    "clequalize method=clahe", "clequalize domain=per-component strength=0.5", "cllevels gamma=2", "cllevels auto=true"};

/* A picture of another format with the samples of `from`. */
static ref::Picture
with_samples (ref::Picture picture, const ref::Picture &from)
{
  for (ref::Component &component : picture.components)
    for (const ref::Component &other : from.components)
      if (other.name == component.name)
        component.value = other.value;
  return picture;
}

TEST (like_planes)
{
  constexpr GstVideoFormat packed[] = {
      GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_YVYU, GST_VIDEO_FORMAT_VYUY};
  unsigned number = 0;
  for (const char *line : lines) {
    /* two vectors and a part of one */
    Case planes = case_of (line, GST_VIDEO_FORMAT_Y42B, 146, 35);
    planes.common.interlaced = number % 3 == 2;
    Case words = planes;
    words.format = packed[number++ % std::size (packed)];
    const ref::Picture in = noise_for (words, number);
    const ref::Picture expected = filtered (planes, with_samples (noise_for (planes, number), in), Storage::Padded);
    expect_same (filtered (words, in, Storage::Padded), with_samples (in, expected),
        std::string (line) + " on " + gst_video_format_to_string (words.format));
  }
}

/* Samples with swapped bytes, several per pixel, on frames wider than a work-group. */
TEST (like_little_endian)
{
  constexpr std::pair<GstVideoFormat, GstVideoFormat> twins[] = {
      {GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_P010_10BE}, {GST_VIDEO_FORMAT_ARGB64, GST_VIDEO_FORMAT_ARGB64_BE}};
  for (const auto &[little, big] : twins) {
    Case c = case_of ("clthreshold type=trunc", big, 146, 35);
    const ref::Picture in = noise_for (c, 1), result = filtered (c, in, Storage::Padded);
    c.format = little;
    const ref::Picture expected = filtered (c, with_samples (noise_for (c, 1), in), Storage::Padded);
    expect_same (result, with_samples (in, expected), gst_video_format_to_string (big));
  }
}

}  // namespace test::words_suite
