/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/caps.hpp"

#include "memory/format.hpp"

namespace gst::cl {

namespace {

const char *
feature_of (MemoryKind kind)
{
  return kind == MemoryKind::opencl ? GST_CAPS_FEATURE_MEMORY_CL : GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY;
}

bool
is_memory_feature (const gchar *name)
{
  return g_str_has_prefix (name, "memory:");
}

/* The same features on another kind of memory. */
GstCapsFeatures *
replace_memory (GstCapsFeatures *features, MemoryKind kind)
{
  GstCapsFeatures *replaced = gst_caps_features_new (feature_of (kind), nullptr);
  for (guint i = 0; i < gst_caps_features_get_size (features); i++) {
    const gchar *name = gst_caps_features_get_nth (features, i);
    if (!is_memory_feature (name))
      gst_caps_features_add (replaced, name);
  }
  return replaced;
}

}  // namespace

GstCaps *
make_template_caps (const std::vector<MemoryKind> &kinds)
{
  GValue names = G_VALUE_INIT;
  gst_value_list_init (&names, all_formats ().size ());
  for (const Format &format : all_formats ()) {
    GValue name = G_VALUE_INIT;
    g_value_init (&name, G_TYPE_STRING);
    g_value_set_static_string (&name, gst_video_format_to_string (format.id));
    gst_value_list_append_and_take_value (&names, &name);
  }
  GstStructure *structure = gst_structure_new ("video/x-raw", "width", GST_TYPE_INT_RANGE, 1, G_MAXINT, "height",
      GST_TYPE_INT_RANGE, 1, G_MAXINT, "framerate", GST_TYPE_FRACTION_RANGE, 0, 1, G_MAXINT, 1, nullptr);
  gst_structure_take_value (structure, "format", &names);

  GstCaps *caps = gst_caps_new_empty ();
  for (MemoryKind kind : kinds) {
    const char *overlay = GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION;
    gst_caps_append_structure_full (caps, gst_structure_copy (structure),
        gst_caps_features_new (feature_of (kind), nullptr));
    gst_caps_append_structure_full (caps, gst_structure_copy (structure),
        gst_caps_features_new (feature_of (kind), overlay, nullptr));
  }
  gst_structure_free (structure);
  return caps;
}

GstCaps *
with_memory (GstCaps *caps, const std::vector<MemoryKind> &kinds)
{
  GstCaps *result = gst_caps_new_empty ();
  for (MemoryKind kind : kinds)
    for (guint i = 0; i < gst_caps_get_size (caps); i++) {
      GstCapsFeatures *features = gst_caps_get_features (caps, i);
      if (!gst_caps_features_is_any (features))
        gst_caps_append_structure_full (result, gst_structure_copy (gst_caps_get_structure (caps, i)),
            replace_memory (features, kind));
    }
  return gst_caps_simplify (result);
}

bool
has_opencl_memory (GstCaps *caps)
{
  return gst_caps_features_contains (gst_caps_get_features (caps, 0), GST_CAPS_FEATURE_MEMORY_CL);
}

}  // namespace gst::cl
