/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tonemap/light.hpp"

#include <cmath>

namespace gst::cl {

namespace {

constexpr double display_gamma = 2.4;

bool
is_camera_curve (GstVideoTransferFunction transfer)
{
  switch (transfer) {
    case GST_VIDEO_TRANSFER_UNKNOWN:
    case GST_VIDEO_TRANSFER_BT709:
    case GST_VIDEO_TRANSFER_BT601:
    case GST_VIDEO_TRANSFER_BT2020_10:
    case GST_VIDEO_TRANSFER_BT2020_12:
    case GST_VIDEO_TRANSFER_SMPTE240M:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool
is_hlg (const GstVideoColorimetry &colorimetry)
{
  return colorimetry.transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67;
}

bool
is_hdr (const GstVideoColorimetry &colorimetry)
{
  return is_hlg (colorimetry) || colorimetry.transfer == GST_VIDEO_TRANSFER_SMPTE2084;
}

double
unit_of (const GstVideoColorimetry &colorimetry)
{
  return is_hlg (colorimetry) ? hlg_peak : is_hdr (colorimetry) ? pq_peak : sdr_white;
}

double
light_of (GstVideoTransferFunction transfer, double signal)
{
  return is_camera_curve (transfer) ? std::pow (signal, display_gamma) : gst_video_transfer_function_decode (transfer, signal);
}

double
signal_of (GstVideoTransferFunction transfer, double light)
{
  return is_camera_curve (transfer) ? std::pow (light, 1 / display_gamma)
                                    : gst_video_transfer_function_encode (transfer, light);
}

GstVideoColorPrimaries
primaries_of (const GstVideoColorimetry &colorimetry)
{
  if (colorimetry.primaries != GST_VIDEO_COLOR_PRIMARIES_UNKNOWN)
    return colorimetry.primaries;
  return is_hdr (colorimetry) ? GST_VIDEO_COLOR_PRIMARIES_BT2020 : GST_VIDEO_COLOR_PRIMARIES_BT709;
}

std::optional<double>
peak_of_caps (const GstCaps *caps)
{
  constexpr double mastering_unit = 10000; /* in 10,000ths of a nit */
  GstVideoContentLightLevel content;
  GstVideoMasteringDisplayInfo display;
  if (gst_video_content_light_level_from_caps (&content, caps) && content.max_content_light_level > 0)
    return content.max_content_light_level;
  if (gst_video_mastering_display_info_from_caps (&display, caps) && display.max_display_mastering_luminance > 0)
    return display.max_display_mastering_luminance / mastering_unit;
  return std::nullopt;
}

}  // namespace gst::cl
