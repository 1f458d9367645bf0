/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The samples of black and white, by the property `range`, and the positions of the samples of subsampled planes. */
#pragma once

#include "filter/operation.hpp"

namespace gst::cl {

enum class Range {
  /** According to the colorimetry of the caps. */
  automatic,
  /** 0 and the maximum sample. */
  full
};

inline constexpr GEnumValue range_values[] = {
    {int (Range::automatic), "According to the colorimetry of the caps", "auto"},
    {int (Range::full), "0 and the maximum sample", "full"},
};

template <auto member>
constexpr Property
range_property ()
{
  return property<member> ("range", "Which samples are black and white in YUV and grey", enum_type<"GstClRange", range_values>);
}

/** Samples of luma, grey, red, green or blue. */
struct BlackWhite {
  int black, white;

  bool operator== (const BlackWhite &) const = default;
};

/** Relates YUV to R'G'B': the weights of red and blue in luma, and the scale and offset for luma in 0..1 and chroma in
 *  -0.5..0.5. */
struct YuvColors {
  double red, blue;
  double luma_offset, luma_scale, chroma_offset, chroma_scale;

  bool operator== (const YuvColors &) const = default;
};

/** black_and_white() for a plane: chroma and alpha have no black, and range from 0 to the greatest sample. */
inline BlackWhite
on_plane (const BlackWhite &range, const Format &format, int plane)
{
  return format.planes[plane].components[0] == first ? range : BlackWhite{0, format.max_value ()};
}

/** Twice the position of a plane's first sample along an axis, from the caps' chroma siting, in luma samples from the edge of
 *  the picture. subsampling: log2. */
inline int
twice_first_place (const GstVideoInfo &info, int subsampling, bool vertical)
{
  const auto cosited = vertical ? GST_VIDEO_CHROMA_SITE_V_COSITED : GST_VIDEO_CHROMA_SITE_H_COSITED;
  return GST_VIDEO_INFO_CHROMA_SITE (&info) & cosited ? 1 : 1 << subsampling;
}

inline bool
is_limited (const GstVideoInfo &video, const Format &format, Range range)
{
  const GstVideoColorRange said = GST_VIDEO_INFO_COLORIMETRY (&video).range;
  if (range == Range::full || format.model == ColorModel::rgb)
    return false;
  return said == GST_VIDEO_COLOR_RANGE_16_235 || (said == GST_VIDEO_COLOR_RANGE_UNKNOWN && format.model == ColorModel::yuv);
}

/** 16 and 235, times 2^(depth - 8), for YUV and grey with limited range in the caps; also for YUV without a range, as in
 *  GStreamer. */
inline BlackWhite
black_and_white (const GstVideoInfo &video, const Format &format, Range range)
{
  constexpr int black = 16, white = 235;
  if (!is_limited (video, format, range))
    return {0, format.max_value ()};
  return {black << (format.depth - 8), white << (format.depth - 8)};
}

/** Uses the caps' matrix, and the caps' range unless `range` is full. */
inline YuvColors
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
