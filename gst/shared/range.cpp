/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/range.hpp"

namespace gst::cl {

GType
range_get_type ()
{
  static const GEnumValue values[] = {
      {int (Range::automatic), "As the colorimetry of the caps says", "auto"},
      {int (Range::full), "0 and the greatest sample", "full"},
      {0, nullptr, nullptr},
  };
  static const GType type = g_enum_register_static ("GstClRange", values);
  return type;
}

BlackWhite
black_and_white (const GstVideoInfo &video, const Format &format, Range range)
{
  constexpr int black = 16, white = 235;
  GstVideoColorRange said = GST_VIDEO_INFO_COLORIMETRY (&video).range;
  if (said == GST_VIDEO_COLOR_RANGE_UNKNOWN && format.model == ColorModel::yuv)
    said = GST_VIDEO_COLOR_RANGE_16_235;
  if (range == Range::full || format.model == ColorModel::rgb || said != GST_VIDEO_COLOR_RANGE_16_235)
    return {0, format.max_value ()};
  return {black << (format.depth - 8), white << (format.depth - 8)};
}

}  // namespace gst::cl
