/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/roi.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* Left and right edge, or top and bottom, within 0 .. size; a length of 0 reaches to the end. */
std::pair<int, int>
clip (gint64 position, gint64 length, int size)
{
  const gint64 end = length > 0 ? position + length : size;
  return {int (std::clamp<gint64> (position, 0, size)), int (std::clamp<gint64> (end, 0, size))};
}

void
append_clipped (std::vector<Rect> &regions, const GstVideoInfo &info, gint64 x, gint64 y, gint64 width, gint64 height)
{
  const auto [left, right] = clip (x, width, GST_VIDEO_INFO_WIDTH (&info));
  const auto [top, bottom] = clip (y, height, GST_VIDEO_INFO_HEIGHT (&info));
  const Rect rect{left, top, right - left, bottom - top};
  if (!rect.empty ())
    regions.push_back (rect);
}

/* Whether a comma-separated list names label; an empty list names all. */
bool
names_label (const std::string &labels, const gchar *label)
{
  if (labels.empty ())
    return true;
  gchar **list = g_strsplit (labels.c_str (), ",", -1);
  bool found = false;
  for (gchar **item = list; *item && !found; item++)
    found = g_strcmp0 (g_strstrip (*item), label) == 0;
  g_strfreev (list);
  return found;
}

}  // namespace

std::vector<Rect>
find_regions (const Settings &settings, const GstVideoInfo &info, GstBuffer *buffer)
{
  const Values &common = settings.common;
  std::vector<Rect> regions;
  if (RoiSource (common.integer (COMMON_ROI_SOURCE)) == RoiSource::fixed) {
    append_clipped (regions, info, common.integer (COMMON_ROI_X), common.integer (COMMON_ROI_Y),
        common.integer (COMMON_ROI_WIDTH), common.integer (COMMON_ROI_HEIGHT));
    return regions;
  }
  gpointer state = nullptr;
  while (GstMeta *meta = gst_buffer_iterate_meta_filtered (buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *> (meta);
    if (roi->w > 0 && roi->h > 0 && names_label (common.text (COMMON_ROI_LABELS), g_quark_to_string (roi->roi_type)))
      append_clipped (regions, info, roi->x, roi->y, roi->w, roi->h);
  }
  return regions;
}

Rect
region_on_plane (const Rect &region, const PlaneView &plane)
{
  const int sub_x = plane.layout->subsample_x, sub_y = plane.layout->subsample_y;
  const int left = region.x >> sub_x, top = region.y >> sub_y;
  const int right = (region.x + region.width + (1 << sub_x) - 1) >> sub_x;
  const int bottom = (region.y + region.height + (1 << sub_y) - 1) >> sub_y;
  return {left, top, std::min (right, plane.width) - left, std::min (bottom, plane.height) - top};
}

Rect
in_pixels (const Rect &rect, const PlaneLayout &layout, const PlaneView &first_plane)
{
  const int left = rect.x << layout.subsample_x, top = rect.y << layout.subsample_y;
  const int right = std::min ((rect.x + rect.width) << layout.subsample_x, first_plane.width);
  const int bottom = std::min ((rect.y + rect.height) << layout.subsample_y, first_plane.height);
  return {left, top, right - left, bottom - top};
}

Rect
region_on_field (const Rect &region, int field)
{
  const int top = (region.y - field + 1) / 2, bottom = (region.y + region.height - field + 1) / 2;
  return {region.x, top, region.width, bottom - top};
}

}  // namespace gst::cl
