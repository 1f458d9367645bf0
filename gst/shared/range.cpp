/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/range.hpp"

namespace gst::cl {

namespace {

bool
is_limited (const GstVideoInfo &video, const Format &format, Range range)
{
  const GstVideoColorRange said = GST_VIDEO_INFO_COLORIMETRY (&video).range;
  if (range == Range::full || format.model == ColorModel::rgb)
    return false;
  return said == GST_VIDEO_COLOR_RANGE_16_235 || (said == GST_VIDEO_COLOR_RANGE_UNKNOWN && format.model == ColorModel::yuv);
}

}  // namespace

BlackWhite
black_and_white (const GstVideoInfo &video, const Format &format, Range range)
{
  constexpr int black = 16, white = 235;
  if (!is_limited (video, format, range))
    return {0, format.max_value ()};
  return {black << (format.depth - 8), white << (format.depth - 8)};
}

YuvColors
yuv_colors (const GstVideoInfo &video, const Format &format, Range range)
{
  gint offset[GST_VIDEO_MAX_COMPONENTS], scale[GST_VIDEO_MAX_COMPONENTS];
  gst_video_color_range_offsets (is_limited (video, format, range) ? GST_VIDEO_COLOR_RANGE_16_235 : GST_VIDEO_COLOR_RANGE_0_255,
      video.finfo, offset, scale);
  YuvColors colors{0, 0, double (offset[0]), double (scale[0]), double (offset[1]), double (scale[1])};
  if (!gst_video_color_matrix_get_Kr_Kb (GST_VIDEO_INFO_COLORIMETRY (&video).matrix, &colors.red, &colors.blue))
    gst_video_color_matrix_get_Kr_Kb (GST_VIDEO_COLOR_MATRIX_BT601, &colors.red, &colors.blue);
  return colors;
}

}  // namespace gst::cl
