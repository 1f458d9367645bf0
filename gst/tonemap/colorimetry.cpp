/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tonemap/colorimetry.hpp"

#include "tonemap/light.hpp"

namespace gst::cl {

namespace {

constexpr const char *field = "colorimetry";

void
drop_hdr_metadata (GstStructure *structure)
{
  gst_structure_remove_fields (structure, "mastering-display-info", "content-light-level", nullptr);
}

/* False if text names HDR no longer, and `sdr` is what takes its place. */
bool
names_sdr (const gchar *text, gchar *&sdr)
{
  GstVideoColorimetry colorimetry;
  if (!text || !gst_video_colorimetry_from_string (&colorimetry, text) || !is_hdr (colorimetry))
    return true;
  const bool rgb = colorimetry.matrix == GST_VIDEO_COLOR_MATRIX_RGB;
  colorimetry.primaries = GST_VIDEO_COLOR_PRIMARIES_BT709;
  colorimetry.transfer = rgb ? GST_VIDEO_TRANSFER_SRGB : GST_VIDEO_TRANSFER_BT709;
  if (!rgb)
    colorimetry.matrix = GST_VIDEO_COLOR_MATRIX_BT709;
  sdr = gst_video_colorimetry_to_string (&colorimetry);
  return false;
}

/* True where some value was HDR. */
bool
make_sdr (GValue *value)
{
  gchar *sdr = nullptr;
  if (G_VALUE_HOLDS_STRING (value)) {
    if (names_sdr (g_value_get_string (value), sdr))
      return false;
    g_value_take_string (value, sdr);
    return true;
  }
  bool changed = false;
  if (GST_VALUE_HOLDS_LIST (value))
    for (guint i = 0; i < gst_value_list_get_size (value); i++)
      changed = make_sdr (const_cast<GValue *> (gst_value_list_get_value (value, i))) || changed;
  return changed;
}

}  // namespace

GstCaps *
sdr_caps (GstCaps *caps)
{
  GstCaps *result = gst_caps_copy (caps);
  for (guint i = 0; i < gst_caps_get_size (result); i++) {
    GstStructure *structure = gst_caps_get_structure (result, i);
    const GValue *said = gst_structure_get_value (structure, field);
    if (!said)
      continue;
    GValue value = G_VALUE_INIT;
    g_value_init (&value, G_VALUE_TYPE (said));
    g_value_copy (said, &value);
    const bool was_hdr = make_sdr (&value);
    gst_structure_take_value (structure, field, &value);
    if (was_hdr)
      drop_hdr_metadata (structure);
  }
  return result;
}

GstCaps *
any_colorimetry (GstCaps *caps)
{
  GstCaps *open = gst_caps_copy (caps);
  for (guint i = 0; i < gst_caps_get_size (open); i++) {
    GstStructure *structure = gst_caps_get_structure (open, i);
    gst_structure_remove_field (structure, field);
    drop_hdr_metadata (structure);
  }
  return open;
}

}  // namespace gst::cl
