/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "interop/caps.hpp"

#include "config.h"
#include "interop/element.hpp"
#include "memory/format.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#ifdef HAVE_GL
#include <gst/gl/gl.h>
#endif

namespace gst::cl {

bool
set_strings (GstStructure *structure, const char *field, const std::vector<const char *> &all)
{
  if (all.size () == 1)
    gst_structure_set (structure, field, G_TYPE_STRING, all.front (), nullptr);
  if (all.size () < 2)
    return !all.empty ();
  GValue list = G_VALUE_INIT;
  gst_value_list_init (&list, guint (all.size ()));
  for (const char *text : all) {
    GValue one = G_VALUE_INIT;
    g_value_init (&one, G_TYPE_STRING);
    g_value_set_string (&one, text);
    gst_value_list_append_and_take_value (&list, &one);
  }
  gst_structure_take_value (structure, field, &list);
  return true;
}

namespace {

struct DrmName {
  GstVideoFormat format;
  const char *fourcc;
};

/* DRM names the components of a little-endian word from the highest bits down: AR24 is B, G, R, A in memory. */
constexpr std::array drm_names{
    DrmName{GST_VIDEO_FORMAT_NV12, "NV12"},
    DrmName{GST_VIDEO_FORMAT_NV21, "NV21"},
    DrmName{GST_VIDEO_FORMAT_NV16, "NV16"},
    DrmName{GST_VIDEO_FORMAT_NV61, "NV61"},
    DrmName{GST_VIDEO_FORMAT_NV24, "NV24"},
    DrmName{GST_VIDEO_FORMAT_P010_10LE, "P010"},
    DrmName{GST_VIDEO_FORMAT_P012_LE, "P012"},
    DrmName{GST_VIDEO_FORMAT_P016_LE, "P016"},
    DrmName{GST_VIDEO_FORMAT_I420, "YU12"},
    DrmName{GST_VIDEO_FORMAT_YV12, "YV12"},
    DrmName{GST_VIDEO_FORMAT_Y42B, "YU16"},
    DrmName{GST_VIDEO_FORMAT_Y444, "YU24"},
    DrmName{GST_VIDEO_FORMAT_YUY2, "YUYV"},
    DrmName{GST_VIDEO_FORMAT_YVYU, "YVYU"},
    DrmName{GST_VIDEO_FORMAT_UYVY, "UYVY"},
    DrmName{GST_VIDEO_FORMAT_VYUY, "VYUY"},
    DrmName{GST_VIDEO_FORMAT_VUYA, "AYUV"},
    DrmName{GST_VIDEO_FORMAT_Y212_LE, "Y212"},
    DrmName{GST_VIDEO_FORMAT_BGRA, "AR24"},
    DrmName{GST_VIDEO_FORMAT_BGRx, "XR24"},
    DrmName{GST_VIDEO_FORMAT_RGBA, "AB24"},
    DrmName{GST_VIDEO_FORMAT_RGBx, "XB24"},
    DrmName{GST_VIDEO_FORMAT_ARGB, "BA24"},
    DrmName{GST_VIDEO_FORMAT_xRGB, "BX24"},
    DrmName{GST_VIDEO_FORMAT_ABGR, "RA24"},
    DrmName{GST_VIDEO_FORMAT_xBGR, "RX24"},
    DrmName{GST_VIDEO_FORMAT_BGR, "RG24"},
    DrmName{GST_VIDEO_FORMAT_RGB, "BG24"},
};

constexpr char drm_format[] = "DMA_DRM", drm_field[] = "drm-format";

/* Returns the format of "NV12" or "NV12:0x0000000000000000", where modifier 0 means linear; null for other modifiers. */
const char *
plain_name (const std::string &drm)
{
  const size_t colon = drm.find (':');
  if (colon != std::string::npos && g_ascii_strtoull (drm.c_str () + colon + 1, nullptr, 16) != 0)
    return nullptr;
  for (const DrmName &name : drm_names)
    if (drm.substr (0, colon) == name.fourcc)
      return gst_video_format_to_string (name.format);
  return nullptr;
}

const char *
drm_name (const std::string &plain)
{
  for (const DrmName &name : drm_names)
    if (plain == gst_video_format_to_string (name.format))
      return name.fourcc;
  return nullptr;
}

/* Returns the other names of the strings in a field that holds one or a list, as far as they have one; of all named formats if
 * the field is missing. */
std::vector<const char *>
renamed (const GstStructure *structure, const char *field, const char *(*other) (const std::string &) )
{
  std::vector<const char *> all;
  const auto add = [&] (const char *text) {
    if (const char *known = text ? other (text) : nullptr)
      all.push_back (known);
  };
  const GValue *value = gst_structure_get_value (structure, field);
  if (!value)
    for (const DrmName &name : drm_names)
      add (gst_video_format_to_string (name.format));
  else if (G_VALUE_HOLDS_STRING (value))
    add (g_value_get_string (value));
  else if (GST_VALUE_HOLDS_LIST (value))
    for (guint i = 0; i < gst_value_list_get_size (value); i++)
      if (const GValue *one = gst_value_list_get_value (value, i); G_VALUE_HOLDS_STRING (one))
        add (g_value_get_string (one));
  return all;
}

/* Whether a structure names DRM formats. */
bool
is_drm (const GstStructure *structure)
{
  return gst_structure_has_field (structure, drm_field);
}

}  // namespace

bool
make_plain (GstStructure *structure)
{
  if (!is_drm (structure))
    return true;
  const std::vector<const char *> formats = renamed (structure, drm_field, plain_name);
  gst_structure_remove_field (structure, drm_field);
  return set_strings (structure, "format", formats);
}

namespace {

bool
make_drm (GstStructure *structure)
{
  if (is_drm (structure))
    return true;
  const std::vector<const char *> formats = renamed (structure, "format", drm_name);
  gst_structure_set (structure, "format", G_TYPE_STRING, drm_format, nullptr);
  return set_strings (structure, drm_field, formats);
}

#ifdef HAVE_GL
#define GL_FORMATS GST_GL_MEMORY_VIDEO_FORMATS_STR
#else
#define GL_FORMATS "{ }"
#define GST_CAPS_FEATURE_MEMORY_GL_MEMORY "memory:GLMemory"
#endif

const char *
feature_of (MemoryKind kind)
{
  constexpr const char *features[] = {GST_CAPS_FEATURE_MEMORY_CL, GST_CAPS_FEATURE_MEMORY_GL_MEMORY, "memory:CUDAMemory",
      "memory:DMABuf", GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY};
  return features[size_t (kind)];
}

bool
can_have (MemoryKind kind, const Format &format)
{
  if (format.is_in_buffers ())
    return kind == MemoryKind::system || kind == MemoryKind::opencl;
  static gchar **of_textures = g_strsplit_set (GL_FORMATS, " ,{}", -1);
  if (kind == MemoryKind::gl) /* OpenCL has no images for pixels of three samples */
    return format.planes[0].samples_per_pixel != 3 && g_strv_contains (of_textures, gst_video_format_to_string (format.id));
  return kind != MemoryKind::cuda || is_cuda_format (format.id);
}

GstStructure *
template_structure (MemoryKind kind, bool every_format)
{
  std::vector<const char *> names;
  for (const Format &format : all_formats ())
    if ((every_format || !format.is_for_converters ()) && can_have (kind, format))
      names.push_back (gst_video_format_to_string (format.id));
  GstStructure *structure = gst_structure_new ("video/x-raw", "width", GST_TYPE_INT_RANGE, 1, G_MAXINT, "height",
      GST_TYPE_INT_RANGE, 1, G_MAXINT, "framerate", GST_TYPE_FRACTION_RANGE, 0, 1, G_MAXINT, 1, nullptr);
  set_strings (structure, "format", names);
  if (kind == MemoryKind::gl)
    gst_structure_set (structure, "texture-target", G_TYPE_STRING, "2D", nullptr);
  return structure;
}

/* Returns null if no format is left. */
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

/* Whether to write caps of a kind of memory with DRM formats. DMABuf has both ways; the way that `from` is written in comes
 * first, or else GStreamer's own. */
std::vector<bool>
ways_to_write (MemoryKind kind, const GstCapsFeatures *features, const GstStructure *from)
{
  if (kind != MemoryKind::dmabuf)
    return {false};
  const bool was_dmabuf = gst_caps_features_contains (features, feature_of (kind));
  const bool drm_first = was_dmabuf ? is_drm (from) : gst_video_format_from_string (drm_format) != GST_VIDEO_FORMAT_UNKNOWN;
  return {drm_first, !drm_first};
}

bool
has_single_fields (const GstCapsFeatures *features)
{
  return gst_caps_features_contains (features, GST_CAPS_FEATURE_FORMAT_INTERLACED);
}

/* Only system and OpenCL memory hold single fields. For system memory GStreamer writes the feature format:Interlaced alone,
 * without the memory's name. */
bool
can_have_single_fields (MemoryKind kind)
{
  return kind == MemoryKind::system || kind == MemoryKind::opencl;
}

GstCapsFeatures *
single_field_features (MemoryKind kind)
{
  GstCapsFeatures *features = gst_caps_features_new (GST_CAPS_FEATURE_FORMAT_INTERLACED, nullptr);
  if (kind != MemoryKind::system)
    gst_caps_features_add (features, feature_of (kind));
  return features;
}

/* Returns the same features with another kind of memory. */
GstCapsFeatures *
replace_memory (GstCapsFeatures *features, MemoryKind kind)
{
  if (has_single_fields (features))
    return single_field_features (kind);
  GstCapsFeatures *replaced = gst_caps_features_new (feature_of (kind), nullptr);
  for (guint i = 0; i < gst_caps_features_get_size (features); i++) {
    const gchar *name = gst_caps_features_get_nth (features, i);
    if (!g_str_has_prefix (name, "memory:"))
      gst_caps_features_add (replaced, name);
  }
  return replaced;
}

}  // namespace

bool
video_info_from_caps (GstVideoInfo &info, const GstCaps *caps)
{
  if (gst_caps_get_size (caps) == 0 || !is_drm (gst_caps_get_structure (caps, 0)))
    return gst_video_info_from_caps (&info, caps);
  g_autoptr (GstCaps) plain = gst_caps_copy_nth (caps, 0);
  return make_plain (gst_caps_get_structure (plain, 0)) && gst_video_info_from_caps (&info, plain);
}

GstCaps *
make_template_caps (const std::vector<MemoryKind> &kinds, bool with_drm, bool every_format, bool single_fields)
{
  const char *overlay = GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION;
  GstCaps *caps = gst_caps_new_empty ();
  const auto add = [&] (GstStructure *structure, const char *feature) {
    gst_caps_append_structure_full (caps, gst_structure_copy (structure), gst_caps_features_new (feature, nullptr));
    gst_caps_append_structure_full (caps, structure, gst_caps_features_new (feature, overlay, nullptr));
  };
  for (MemoryKind kind : kinds) {
    add (template_structure (kind, every_format), feature_of (kind));
    if (kind == MemoryKind::dmabuf && with_drm) {
      GstStructure *structure = template_structure (kind, every_format);
      make_drm (structure);
      add (structure, feature_of (kind));
    }
  }
  for (MemoryKind kind : kinds) /* after all whole frames, which everyone prefers */
    if (single_fields && can_have_single_fields (kind)) {
      GstStructure *structure = template_structure (kind, every_format);
      gst_structure_set (structure, "interlace-mode", G_TYPE_STRING, "alternate", nullptr);
      gst_caps_append_structure_full (caps, structure, single_field_features (kind));
    }
  return caps;
}

GstCaps *
keep (GstCaps *caps)
{
  GST_MINI_OBJECT_FLAG_SET (caps, GST_MINI_OBJECT_FLAG_MAY_BE_LEAKED);
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
      if (gst_caps_features_is_any (features) || (has_single_fields (features) && !can_have_single_fields (kind)))
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

Ref<GstCaps>
possible_caps (GstPad *pad)
{
  /* capssetter warns of a query with a filter */
  g_autoptr (GstCaps) own = gst_pad_get_pad_template_caps (pad), all = gst_pad_peer_query_caps (pad, nullptr);
  return Ref<GstCaps> (gst_caps_intersect_full (own, all, GST_CAPS_INTERSECT_FIRST));
}

std::optional<GstVideoInfo>
expected_video (GstCaps *possible, const GstVideoInfo *from)
{
  bool may_link = false;
  for (guint i = 0; i < gst_caps_get_size (possible); i++) {
    Ref<GstCaps> caps (gst_caps_copy_nth (possible, i));
    const MemoryKind kind = memory_kind (caps.get ());
    if (kind == MemoryKind::opencl || (kind == MemoryKind::system && !may_link)) {
      GstStructure *structure = gst_caps_get_structure (caps.get (), 0);
      /* most programs do not depend on the size, nor on the colorimetry that GStreamer supposes for it */
      gst_structure_fixate_field_nearest_int (structure, "width", from ? from->width : 1280);
      gst_structure_fixate_field_nearest_int (structure, "height", from ? from->height : 720);
      const auto is_open = [structure] (const char *field) {
        const GValue *value = gst_structure_get_value (structure, field);
        return !value || !gst_value_is_fixed (value);
      };
      if (is_open ("format") || (from && is_open ("framerate")))
        return {};
      const Ref<GstCaps> fixed (gst_caps_fixate (caps.release ()));
      GstVideoInfo info;
      return video_info_from_caps (info, fixed.get ()) ? std::optional (info) : std::nullopt;
    }
    may_link = true;
  }
  return {};
}

bool
has_single_fields (const GstCaps *caps)
{
  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    if (has_single_fields (gst_caps_get_features (caps, i)))
      return true;
  return false;
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

bool
describe_same_frames (const GstVideoInfo &a, const GstVideoInfo &b)
{
  return GST_VIDEO_INFO_FORMAT (&a) == GST_VIDEO_INFO_FORMAT (&b) && GST_VIDEO_INFO_WIDTH (&a) == GST_VIDEO_INFO_WIDTH (&b)
         && GST_VIDEO_INFO_HEIGHT (&a) == GST_VIDEO_INFO_HEIGHT (&b) && GST_VIDEO_INFO_PAR_N (&a) == GST_VIDEO_INFO_PAR_N (&b)
         && GST_VIDEO_INFO_PAR_D (&a) == GST_VIDEO_INFO_PAR_D (&b)
         && GST_VIDEO_INFO_CHROMA_SITE (&a) == GST_VIDEO_INFO_CHROMA_SITE (&b)
         && gst_video_colorimetry_is_equal (&GST_VIDEO_INFO_COLORIMETRY (&a), &GST_VIDEO_INFO_COLORIMETRY (&b));
}

}  // namespace gst::cl
