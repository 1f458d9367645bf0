/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/roi.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl {

namespace {

/* The part of a rectangle inside the frame. */
Rect
clipped (const Rect &rect, const GstVideoInfo &info)
{
  const int left = std::max (rect.x, 0), right = std::min (rect.x + rect.width, GST_VIDEO_INFO_WIDTH (&info));
  const int top = std::max (rect.y, 0), bottom = std::min (rect.y + rect.height, GST_VIDEO_INFO_HEIGHT (&info));
  return {left, top, right - left, bottom - top};
}

/* Extends the region on all sides by `expand` times half its size, rounded up to whole pixels. */
Rect
expanded (const Detection &of, double expand)
{
  const auto grow = [expand] (int64_t at, int64_t length) {
    constexpr int64_t farthest = 1 << 24; /* coordinates in half pixels must fit into 32 bits */
    const auto margin = int64_t (std::ceil (double (length) * expand / 2 - 1e-6));
    const int64_t first = std::clamp (at - margin, -farthest, farthest), end = at + length + margin;
    return std::pair (int (first), int (std::clamp (end, -farthest, farthest) - first));
  };
  const auto [x, width] = grow (of.x, of.width);
  const auto [y, height] = grow (of.y, of.height);
  return {x, y, width, height};
}

/* Whether a comma-separated list contains label; an empty list contains every label. */
bool
names_label (const std::string &labels, const gchar *label)
{
  if (labels.empty ())
    return true;
  g_auto (GStrv) list = g_strsplit (labels.c_str (), ",", -1);
  return std::any_of (
      list, list + g_strv_length (list), [label] (gchar *item) { return !g_strcmp0 (g_strstrip (item), label); });
}

Detection
detection_in (const GstStructure *structure)
{
  const auto pixels = [structure] (const char *field) {
    return std::clamp<int64_t> (number_in (structure, field).value_or (0), G_MININT, G_MAXINT);
  };
  const gchar *label = gst_structure_get_string (structure, "label");
  return {pixels ("x"), pixels ("y"), pixels ("width"), pixels ("height"), number_in (structure, "id").value_or (-1),
      label ? label : ""};
}

/* An id of zero means that the detector has set none. Detectors write negative places of regions at the edge, too. */
std::vector<Detection>
detections_on (GstBuffer *buffer)
{
  std::vector<Detection> all;
  gpointer state = nullptr;
  while (GstMeta *meta = gst_buffer_iterate_meta_filtered (buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *> (meta);
    const gchar *label = g_quark_to_string (roi->roi_type);
    all.push_back ({gint (roi->x), gint (roi->y), roi->w, roi->h, roi->id > 0 ? roi->id : -1, label ? label : ""});
  }
  return all;
}

/* Relative to a window for regions of 100 pixels, rounded up. */
int
scale_of (const Rect &shape)
{
  return int (std::ceil (4 * std::log2 (std::min (shape.width, shape.height) / 100.) - 1e-9));
}

}  // namespace

const std::vector<Detection> &
RegionSource::listed (const std::string &wanted)
{
  if (lines != wanted) {
    of_lines.clear ();
    for (const Ref<GstStructure> &each : structures_in (wanted))
      of_lines.push_back (detection_in (each.get ()));
    lines = wanted;
  }
  return of_lines;
}

std::vector<Detection>
RegionSource::detections (const CommonSettings &common, const GstVideoInfo &info, GstBuffer *buffer)
{
  const RoiSource source = common.roi_source;
  if (source == RoiSource::fixed)
    return {{common.roi_x, common.roi_y,
        common.roi_width ? common.roi_width : std::max (GST_VIDEO_INFO_WIDTH (&info) - common.roi_x, 0),
        common.roi_height ? common.roi_height : std::max (GST_VIDEO_INFO_HEIGHT (&info) - common.roi_y, 0)}};
  if (source == RoiSource::analytics)
    require_analytics ();
  std::vector<Detection> found = source == RoiSource::meta        ? detections_on (buffer)
                                 : source == RoiSource::analytics ? analytics_on (buffer)
                                                                  : listed (common.roi_list);
  std::erase_if (found, [&] (const Detection &each) {
    return each.width <= 0 || each.height <= 0 || !names_label (common.roi_labels, each.label.c_str ());
  });
  return found;
}

Regions
RegionSource::find (const CommonSettings &common, const GstVideoInfo &info, GstBuffer *buffer, bool continues, bool has_scales)
{
  std::vector<Detection> found = detections (common, info, buffer);
  if (continues)
    found = tracks.step (found, common.roi_source != RoiSource::fixed ? unsigned (common.roi_hold) : 0);
  Regions regions{.rects = {},
      .shapes = {},
      .ellipse = common.roi_shape == RoiShape::ellipse,
      .inverted = common.roi_invert,
      .feather = common.roi_feather};
  std::vector<Rect> shapes;
  std::ranges::transform (
      found, std::back_inserter (shapes), [&] (const Detection &each) { return expanded (each, common.roi_expand); });
  std::erase_if (shapes, [&] (const Rect &shape) { return clipped (shape, info).empty (); });
  const bool grows = has_scales && common.roi_scale && !regions.inverted;
  if (grows)
    std::ranges::stable_sort (shapes, {}, scale_of);
  for (const Rect &shape : shapes) {
    regions.rects.push_back (clipped (shape, info));
    if (grows)
      regions.scales.push_back (scale_of (shape));
  }
  regions.count = unsigned (shapes.size ());
  regions.shapes = std::move (shapes);
  if (regions.inverted)
    regions.rects = {{0, 0, GST_VIDEO_INFO_WIDTH (&info), GST_VIDEO_INFO_HEIGHT (&info)}};
  return regions;
}

std::vector<Settings>
with_regions (std::span<const Settings> settings, const GstVideoInfo &info)
{
  const int width = GST_VIDEO_INFO_WIDTH (&info), height = GST_VIDEO_INFO_HEIGHT (&info);
  std::vector<Settings> all (settings.begin (), settings.end ());
  for (Settings &each : all) {
    const CommonSettings &common = each.common ();
    if (common.roi_source != RoiSource::fixed && (common.roi_source != RoiSource::list || common.roi_list.empty ()))
      each.shared.edit<CommonSettings> ([&] (CommonSettings &changed) {
        changed.roi_source = RoiSource::list;
        changed.roi_labels.clear ();
        changed.roi_list = "region,x=" + std::to_string (width / 4) + ",y=" + std::to_string (height / 4) + ",width="
                           + std::to_string ((width + 1) / 2) + ",height=" + std::to_string ((height + 1) / 2) + "\n";
      });
  }
  return all;
}

/* Zero and negative values have special meanings and do not grow. */
Values
scaled_values (std::span<const Property> table, Values values, int scale)
{
  const double factor = std::exp2 (scale / 4.);
  for (const Property &each : table) {
    if (!each.scales)
      continue;
    const bool is_whole = each.kind == PropertyKind::integer;
    g_auto (GValue) value = G_VALUE_INIT;
    g_value_init (&value, is_whole ? G_TYPE_INT : G_TYPE_DOUBLE);
    values.get (each, &value);
    const double size = is_whole ? g_value_get_int (&value) : g_value_get_double (&value), wanted = size * factor;
    if (size <= 0)
      continue;
    const double grown = std::clamp (is_whole ? std::ceil (wanted - 1e-9) : wanted, each.minimum, each.maximum);
    is_whole ? g_value_set_int (&value, int (grown)) : g_value_set_double (&value, grown);
    values.set (each, &value);
  }
  return values;
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
