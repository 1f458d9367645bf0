/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flip/flip.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* What caps leave open may be subsampled by four, and interlaced. */
constexpr Unit coarsest{4, 8};

/* How much more than asked for may be kept. */
int
slack (const Cut &cut)
{
  return cut.total () ? 2 * (cut.unit - 1) : 0;
}

int
saturate (gint64 size)
{
  return int (std::clamp<gint64> (size, 1, G_MAXINT));
}

void
set_range (GstStructure *structure, const char *field, gint64 low, gint64 high)
{
  const int from = saturate (low), to = saturate (high);
  if (from < to)
    gst_structure_set (structure, field, GST_TYPE_INT_RANGE, from, to, nullptr);
  else
    gst_structure_set (structure, field, G_TYPE_INT, from, nullptr);
}

/* Sizes from which a crop makes this one; those that lose as much as asked for first. One pixel: see crop_size (). */
void
set_sizes_before (GstStructure *structure, const char *field, int size, const Cut &cut)
{
  if (size == 1)
    return set_range (structure, field, 1, 1 + cut.total ());
  if (!slack (cut))
    return set_range (structure, field, size + cut.total (), size + cut.total ());
  GValue sizes = G_VALUE_INIT, one = G_VALUE_INIT;
  gst_value_list_init (&sizes, guint (slack (cut) + 1));
  g_value_init (&one, G_TYPE_INT);
  for (int more = 0; more <= slack (cut); more++) {
    const gint64 before = size + cut.total () - more;
    if (before > G_MAXINT || before < size || cut.keep (int (before)) < 1)
      continue;
    g_value_set_int (&one, int (before));
    gst_value_list_append_value (&sizes, &one);
  }
  gst_structure_take_value (structure, field, &sizes);
  g_value_unset (&one);
}

/* If nothing is left, one pixel: the element then reports why when such caps arrive, while empty caps would only fail. */
void
crop_size (GstStructure *structure, const char *field, const Cut &cut, bool known_unit, bool to_result)
{
  const GValue *value = gst_structure_get_value (structure, field);
  if (!cut.total () || !value)
    return;
  if (G_VALUE_HOLDS_INT (value) && to_result) {
    const int size = g_value_get_int (value);
    if (known_unit)
      gst_structure_set (structure, field, G_TYPE_INT, std::max (cut.keep (size), 1), nullptr);
    else
      set_range (structure, field, size - cut.total (), std::min<gint64> (size, size - cut.total () + slack (cut)));
  } else if (G_VALUE_HOLDS_INT (value)) {
    set_sizes_before (structure, field, g_value_get_int (value), cut);
  } else if (GST_VALUE_HOLDS_INT_RANGE (value)) {
    const gint64 low = gst_value_get_int_range_min (value), high = gst_value_get_int_range_max (value);
    if (to_result)
      set_range (structure, field, low - cut.total (), high - cut.total () + slack (cut));
    else
      set_range (structure, field, low > 1 ? low + cut.total () - slack (cut) : 1, high + cut.total ());
  } else {
    set_range (structure, field, 1, G_MAXINT);
  }
}

void
crop_structure (GstStructure *structure, const Flip &flip, bool to_result)
{
  Unit unit = coarsest;
  const char *name = gst_structure_get_string (structure, "format");
  const GstVideoFormat format = name ? gst_video_format_from_string (name) : GST_VIDEO_FORMAT_UNKNOWN;
  const char *interlacing = gst_structure_get_string (structure, "interlace-mode");
  const bool known =
      format != GST_VIDEO_FORMAT_UNKNOWN && (interlacing || !gst_structure_has_field (structure, "interlace-mode"));
  if (known)
    unit = unit_of (*gst_video_format_get_info (format), interlacing && !g_str_equal (interlacing, "progressive"));
  crop_size (structure, "width", {flip.left, flip.right, unit.x}, known, to_result);
  crop_size (structure, "height", {flip.top, flip.bottom, unit.y}, known, to_result);
}

/* One over it; false for what has no such value. */
bool
invert (const GValue *value, GValue *result)
{
  g_value_init (result, G_VALUE_TYPE (value));
  const auto inverted = [] (const GValue *fraction, GValue *to) {
    const int n = gst_value_get_fraction_numerator (fraction), d = gst_value_get_fraction_denominator (fraction);
    gst_value_set_fraction (to, n ? d : G_MAXINT, n ? n : 1);
  };
  if (GST_VALUE_HOLDS_FRACTION (value)) {
    inverted (value, result);
  } else if (GST_VALUE_HOLDS_FRACTION_RANGE (value)) {
    GValue low = G_VALUE_INIT, high = G_VALUE_INIT;
    g_value_init (&low, GST_TYPE_FRACTION);
    g_value_init (&high, GST_TYPE_FRACTION);
    inverted (gst_value_get_fraction_range_max (value), &low);
    inverted (gst_value_get_fraction_range_min (value), &high);
    gst_value_set_fraction_range (result, &low, &high);
  } else if (GST_VALUE_HOLDS_LIST (value)) {
    for (guint i = 0; i < gst_value_list_get_size (value); i++) {
      GValue one = G_VALUE_INIT;
      if (!invert (gst_value_list_get_value (value, i), &one))
        return false;
      gst_value_list_append_and_take_value (result, &one);
    }
  } else {
    g_value_unset (result);
    return false;
  }
  return true;
}

void
turn_structure (GstStructure *structure)
{
  GValue width = G_VALUE_INIT, height = G_VALUE_INIT;
  for (const auto &[field, value] : {std::pair ("width", &width), std::pair ("height", &height)})
    if (const GValue *held = gst_structure_get_value (structure, field)) {
      g_value_init (value, G_VALUE_TYPE (held));
      g_value_copy (held, value);
      gst_structure_remove_field (structure, field);
    }
  if (G_IS_VALUE (&height))
    gst_structure_take_value (structure, "width", &height);
  if (G_IS_VALUE (&width))
    gst_structure_take_value (structure, "height", &width);
  if (const GValue *ratio = gst_structure_get_value (structure, "pixel-aspect-ratio")) {
    GValue inverted = G_VALUE_INIT;
    if (invert (ratio, &inverted))
      gst_structure_take_value (structure, "pixel-aspect-ratio", &inverted);
    else
      gst_structure_remove_field (structure, "pixel-aspect-ratio");
  }
}

}  // namespace

GstCaps *
flip_caps (const Flip &flip, GstPadDirection direction, GstCaps *caps)
{
  if (!flip.crops () && !flip.turns ())
    return gst_caps_copy (caps);
  const bool to_result = direction == GST_PAD_SINK;
  GstCaps *result = gst_caps_new_empty ();
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const GstCapsFeatures *features = gst_caps_get_features (caps, i);
    /* overlays that are not drawn yet would not move along */
    if (gst_caps_features_contains (features, GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION))
      continue;
    GstStructure *structure = gst_structure_copy (gst_caps_get_structure (caps, i));
    if (flip.turned && !to_result)
      turn_structure (structure);
    crop_structure (structure, flip, to_result);
    if (flip.turned && to_result)
      turn_structure (structure);
    result = gst_caps_merge_structure_full (result, structure, gst_caps_features_copy (features));
  }
  return result;
}

}  // namespace gst::cl
