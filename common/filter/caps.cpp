/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/caps.hpp"

#include "config.h"
#include "interop/element.hpp"
#include "memory/format.hpp"

#include <algorithm>
#include <iterator>
#ifdef HAVE_GL
#include <gst/gl/gl.h>
#endif

namespace gst::cl {

namespace {

#ifdef HAVE_GL
#define GL_FORMATS GST_GL_MEMORY_VIDEO_FORMATS_STR
#else
#define GL_FORMATS "{ }"
#define GST_CAPS_FEATURE_MEMORY_GL_MEMORY "memory:GLMemory"
#endif

const char *
feature_of (MemoryKind kind)
{
  switch (kind) {
    case MemoryKind::opencl:
      return GST_CAPS_FEATURE_MEMORY_CL;
    case MemoryKind::gl:
      return GST_CAPS_FEATURE_MEMORY_GL_MEMORY;
    case MemoryKind::cuda:
      return "memory:CUDAMemory";
    case MemoryKind::dmabuf:
      return "memory:DMABuf";
    default:
      return GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY;
  }
}

/* What GStreamer's textures can hold, without pixels of three samples, which OpenCL has no images for. */
bool
can_be_texture (const Format &format)
{
  static gchar **names = g_strsplit_set (GL_FORMATS, " ,{}", -1);
  return format.planes[0].samples_per_pixel != 3 && !format.is_bit_packed ()
         && g_strv_contains (names, gst_video_format_to_string (format.id));
}

bool
can_have (MemoryKind kind, const Format &format)
{
  if (format.is_bit_packed ())
    return kind == MemoryKind::system || kind == MemoryKind::opencl;
  if (kind == MemoryKind::gl)
    return can_be_texture (format);
  return kind != MemoryKind::cuda || is_cuda_format (format.id);
}

GstStructure *
template_structure (MemoryKind kind, bool bit_packed)
{
  GValue names = G_VALUE_INIT;
  gst_value_list_init (&names, all_formats ().size ());
  for (const Format &format : all_formats ()) {
    if ((format.is_bit_packed () && !bit_packed) || !can_have (kind, format))
      continue;
    GValue name = G_VALUE_INIT;
    g_value_init (&name, G_TYPE_STRING);
    g_value_set_static_string (&name, gst_video_format_to_string (format.id));
    gst_value_list_append_and_take_value (&names, &name);
  }
  GstStructure *structure = gst_structure_new ("video/x-raw", "width", GST_TYPE_INT_RANGE, 1, G_MAXINT, "height",
      GST_TYPE_INT_RANGE, 1, G_MAXINT, "framerate", GST_TYPE_FRACTION_RANGE, 0, 1, G_MAXINT, 1, nullptr);
  gst_structure_take_value (structure, "format", &names);
  if (kind == MemoryKind::gl)
    gst_structure_set (structure, "texture-target", G_TYPE_STRING, "2D", nullptr);
  return structure;
}

/* Null where no format is left. */
GstStructure *
for_memory (const GstStructure *structure, MemoryKind kind, bool drm)
{
  GstStructure *copy = gst_structure_copy (structure);
  if (kind == MemoryKind::gl)
    gst_structure_set (copy, "texture-target", G_TYPE_STRING, "2D", nullptr);
  else
    gst_structure_remove_field (copy, "texture-target");
  if (!(drm ? make_drm (copy) : make_plain (copy)))
    gst_clear_structure (&copy);
  return copy;
}

/* The ways to write caps of a kind of memory: DMABuf has two, the one that `from` is written in first, or GStreamer's own. */
std::vector<bool>
ways_to_write (MemoryKind kind, const GstCapsFeatures *features, const GstStructure *from)
{
  if (kind != MemoryKind::dmabuf)
    return {false};
  const bool was_dmabuf = gst_caps_features_contains (features, feature_of (kind));
  const bool drm_first = was_dmabuf ? is_drm (from) : gstreamer_knows_drm ();
  return {drm_first, !drm_first};
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
make_template_caps (const std::vector<MemoryKind> &kinds, bool with_drm, bool bit_packed)
{
  const char *overlay = GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION;
  GstCaps *caps = gst_caps_new_empty ();
  const auto add = [&] (GstStructure *structure, const char *feature) {
    gst_caps_append_structure_full (caps, gst_structure_copy (structure), gst_caps_features_new (feature, nullptr));
    gst_caps_append_structure_full (caps, structure, gst_caps_features_new (feature, overlay, nullptr));
  };
  for (MemoryKind kind : kinds) {
    add (template_structure (kind, bit_packed), feature_of (kind));
    if (kind == MemoryKind::dmabuf && with_drm) {
      GstStructure *structure = template_structure (kind, bit_packed);
      make_drm (structure);
      add (structure, feature_of (kind));
    }
  }
  return caps;
}

GstCaps *
with_memory (GstCaps *caps, const std::vector<MemoryKind> &kinds)
{
  GstCaps *result = gst_caps_new_empty ();
  for (MemoryKind kind : kinds)
    for (guint i = 0; i < gst_caps_get_size (caps); i++) {
      GstCapsFeatures *features = gst_caps_get_features (caps, i);
      const GstStructure *structure = gst_caps_get_structure (caps, i);
      if (gst_caps_features_is_any (features))
        continue;
      for (const bool drm : ways_to_write (kind, features, structure))
        if (GstStructure *written = for_memory (structure, kind, drm))
          result = gst_caps_merge_structure_full (result, written, replace_memory (features, kind));
    }
  return result;
}

MemoryKind
memory_kind (GstCaps *caps)
{
  for (MemoryKind kind : {MemoryKind::opencl, MemoryKind::gl, MemoryKind::cuda, MemoryKind::dmabuf})
    if (gst_caps_features_contains (gst_caps_get_features (caps, 0), feature_of (kind)))
      return kind;
  return MemoryKind::system;
}

bool
can_have (MemoryKind kind, GstVideoFormat id)
{
  const Format *format = find_format (id);
  return format && can_have (kind, *format);
}

bool
has_memory_kind (GstCaps *caps, MemoryKind kind)
{
  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    if (gst_caps_features_contains (gst_caps_get_features (caps, i), feature_of (kind)))
      return true;
  return false;
}

const std::vector<MemoryKind> &
all_memory_kinds ()
{
  static const std::vector kinds{MemoryKind::opencl,
#ifdef HAVE_GL
      MemoryKind::gl,
#endif
#ifdef HAVE_CUDA
      MemoryKind::cuda,
#endif
#ifdef HAVE_DMABUF
      MemoryKind::dmabuf,
#endif
      MemoryKind::system};
  return kinds;
}

const std::vector<MemoryKind> &
foreign_memory_kinds ()
{
  static const std::vector kinds = [] {
    std::vector foreign{MemoryKind::system};
    std::ranges::copy_if (all_memory_kinds (), std::back_inserter (foreign), is_foreign);
    return foreign;
  }();
  return kinds;
}

}  // namespace gst::cl
