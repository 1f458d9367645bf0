/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flip/flip.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* The unit for caps that leave the format open, which may be subsampled by four, and interlaced. */
constexpr Unit coarsest{4, 8};

/* How many pixels more than requested the result may keep. */
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
init_range (GValue *value, gint64 low, gint64 high)
{
  const int from = saturate (low), to = saturate (high);
  if (from < to) {
    g_value_init (value, GST_TYPE_INT_RANGE);
    gst_value_set_int_range (value, from, to);
  } else {
    g_value_init (value, G_TYPE_INT);
    g_value_set_int (value, from);
  }
}

/* Computes the size after a crop. If nothing is left, returns one pixel: the element then reports the reason when such caps
 * arrive, while empty caps would only fail to link. */
void
init_size_after (GValue *result, int size, const Cut &cut, bool known_unit)
{
  const gint64 most = known_unit ? std::max (cut.keep (size), 1) : std::min<gint64> (size, size - cut.total () + slack (cut));
  init_range (result, cut.is_free () ? 1 : known_unit ? most : size - cut.total (), most);
}

/* Computes the sizes that a crop turns into this one, the largest crop first. For one pixel see init_size_after (). */
void
init_size_before (GValue *result, int size, const Cut &cut, bool known_unit)
{
  const gint64 least = size + std::max<gint64> (cut.total () - slack (cut), 0);
  if (size == 1 || cut.is_free ())
    return init_range (result, size == 1 ? 1 : least, cut.is_free () ? G_MAXINT : 1 + cut.total ());
  std::vector<int> sizes;
  for (gint64 before = size + cut.total (); before >= least; before--)
    if (before <= G_MAXINT && (known_unit ? cut.keep (int (before)) == size : cut.keep (int (before)) >= 1))
      sizes.push_back (int (before));
  if (sizes.size () < 2)
    return init_range (result, sizes.empty () ? G_MAXINT : sizes[0], sizes.empty () ? G_MAXINT : sizes[0]);
  gst_value_list_init (result, guint (sizes.size ()));
  for (const int each : sizes) {
    GValue one = G_VALUE_INIT;
    g_value_init (&one, G_TYPE_INT);
    g_value_set_int (&one, each);
    gst_value_list_append_and_take_value (result, &one);
  }
}

/* Initialises a value by init (to, from), or for a list a list of all such values. Returns false if init does for any. */
template <typename Init>
bool
init_each (GValue *result, const GValue *value, Init init)
{
  if (!GST_VALUE_HOLDS_LIST (value))
    return init (result, value);
  gst_value_list_init (result, gst_value_list_get_size (value));
  for (guint i = 0; i < gst_value_list_get_size (value); i++) {
    GValue one = G_VALUE_INIT;
    if (!init (&one, gst_value_list_get_value (value, i))) {
      g_value_unset (result);
      return false;
    }
    for (guint k = 0; GST_VALUE_HOLDS_LIST (&one) && k < gst_value_list_get_size (&one); k++)
      gst_value_list_append_value (result, gst_value_list_get_value (&one, k));
    if (!GST_VALUE_HOLDS_LIST (&one))
      gst_value_list_append_value (result, &one);
    g_value_unset (&one);
  }
  return true;
}

/* Takes a size or a range. Returns false for other values. */
bool
init_cut (GValue *result, const GValue *value, const Cut &cut, bool known_unit, bool to_result)
{
  if (G_VALUE_HOLDS_INT (value)) {
    (to_result ? init_size_after : init_size_before) (result, g_value_get_int (value), cut, known_unit);
    return true;
  }
  if (!GST_VALUE_HOLDS_INT_RANGE (value))
    return false;
  const gint64 low = gst_value_get_int_range_min (value), high = gst_value_get_int_range_max (value);
  if (to_result)
    init_range (result, cut.is_free () ? 1 : low - cut.total (), high - cut.total () + slack (cut));
  else
    init_range (result, low > 1 ? low + cut.total () - slack (cut) : 1, cut.is_free () ? G_MAXINT : high + cut.total ());
  return true;
}

void
crop_size (GstStructure *structure, const char *field, const Cut &cut, bool known_unit, bool to_result)
{
  const GValue *value = gst_structure_get_value (structure, field);
  GValue result = G_VALUE_INIT;
  const auto init = [&] (GValue *to, const GValue *from) { return init_cut (to, from, cut, known_unit, to_result); };
  if ((cut.total () || cut.is_free ()) && value && init_each (&result, value, init))
    gst_structure_take_value (structure, field, &result);
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

/* Computes the reciprocal; returns false for a value without one. */
bool
init_inverse (GValue *result, const GValue *value)
{
  const auto invert = [] (const GValue *fraction, GValue *to) {
    const int n = gst_value_get_fraction_numerator (fraction), d = gst_value_get_fraction_denominator (fraction);
    gst_value_set_fraction (to, n ? d : G_MAXINT, n ? n : 1);
  };
  if (!GST_VALUE_HOLDS_FRACTION (value) && !GST_VALUE_HOLDS_FRACTION_RANGE (value))
    return false;
  g_value_init (result, G_VALUE_TYPE (value));
  if (GST_VALUE_HOLDS_FRACTION (value)) {
    invert (value, result);
  } else {
    GValue low = G_VALUE_INIT, high = G_VALUE_INIT;
    g_value_init (&low, GST_TYPE_FRACTION);
    g_value_init (&high, GST_TYPE_FRACTION);
    invert (gst_value_get_fraction_range_max (value), &low);
    invert (gst_value_get_fraction_range_min (value), &high);
    gst_value_set_fraction_range (result, &low, &high);
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
    if (init_each (&inverted, ratio, init_inverse))
      gst_structure_take_value (structure, "pixel-aspect-ratio", &inverted);
    else
      gst_structure_remove_field (structure, "pixel-aspect-ratio");
  }
}

}  // namespace

GstCaps *
flip_caps (const Flip &flip, GstPadDirection direction, GstCaps *caps)
{
  if (!flip.may_crop () && !flip.turns ())
    return gst_caps_copy (caps);
  const bool to_result = direction == GST_PAD_SINK;
  GstCaps *result = gst_caps_new_empty ();
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const GstCapsFeatures *features = gst_caps_get_features (caps, i);
    /* overlays that are not yet drawn would not be cropped and rotated */
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
