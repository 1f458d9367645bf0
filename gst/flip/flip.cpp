/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flip/flip.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>

namespace gst::cl {

void
set_orientation (Flip &flip, GstVideoOrientationMethod method)
{
  const auto is_one_of = [method] (std::initializer_list<GstVideoOrientationMethod> methods) {
    return std::ranges::find (methods, method) != methods.end ();
  };
  flip.turned = is_one_of (
      {GST_VIDEO_ORIENTATION_90R, GST_VIDEO_ORIENTATION_90L, GST_VIDEO_ORIENTATION_UL_LR, GST_VIDEO_ORIENTATION_UR_LL});
  flip.mirror_x = is_one_of (
      {GST_VIDEO_ORIENTATION_180, GST_VIDEO_ORIENTATION_90L, GST_VIDEO_ORIENTATION_HORIZ, GST_VIDEO_ORIENTATION_UR_LL});
  flip.mirror_y = is_one_of (
      {GST_VIDEO_ORIENTATION_180, GST_VIDEO_ORIENTATION_90R, GST_VIDEO_ORIENTATION_VERT, GST_VIDEO_ORIENTATION_UR_LL});
}

Unit
unit_of (const GstVideoFormatInfo &format, bool interlaced)
{
  Unit unit{1, 1};
  for (guint i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (&format); i++) {
    unit.x = std::max (unit.x, 1 << GST_VIDEO_FORMAT_INFO_W_SUB (&format, i));
    unit.y = std::max (unit.y, 1 << GST_VIDEO_FORMAT_INFO_H_SUB (&format, i));
  }
  if (interlaced)
    unit.y *= 2;
  return unit;
}

int
Cut::keep (int size) const
{
  return size <= total () ? 0 : std::min (size, round_up (size - after, unit)) - first ();
}

Rect
kept_part (const Flip &flip, const GstVideoInfo &info)
{
  const Unit unit = unit_of (*info.finfo, GST_VIDEO_INFO_IS_INTERLACED (&info));
  const Cut columns{flip.left, flip.right, unit.x}, rows{flip.top, flip.bottom, unit.y};
  const int width = columns.keep (GST_VIDEO_INFO_WIDTH (&info)), height = rows.keep (GST_VIDEO_INFO_HEIGHT (&info));
  return width && height ? Rect{columns.first (), rows.first (), width, height} : Rect{0, 0, 0, 0};
}

Rect
place_in_result (const Flip &flip, const Rect &kept, const Rect &rect)
{
  const auto clip = [] (gint64 place, int size) { return int (std::clamp<gint64> (place, 0, size)); };
  int left = clip (gint64 (rect.x) - kept.x, kept.width), right = clip (gint64 (rect.x) + rect.width - kept.x, kept.width);
  int top = clip (gint64 (rect.y) - kept.y, kept.height), bottom = clip (gint64 (rect.y) + rect.height - kept.y, kept.height);
  if (flip.mirror_x)
    std::tie (left, right) = std::pair (kept.width - right, kept.width - left);
  if (flip.mirror_y)
    std::tie (top, bottom) = std::pair (kept.height - bottom, kept.height - top);
  const Rect place{left, top, right - left, bottom - top};
  return flip.turned ? Rect{place.y, place.x, place.height, place.width} : place;
}

}  // namespace gst::cl
