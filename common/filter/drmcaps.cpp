/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/drmcaps.hpp"

#include <array>
#include <string>
#include <vector>

namespace gst::cl {

namespace {

struct DrmName {
  GstVideoFormat format;
  const char *fourcc;
};

/* DRM counts bits of a little-endian word from above: AR24 is B, G, R, A in memory. */
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

/* "NV12" or "NV12:0x0000000000000000": a modifier of 0 means linear. Null for others. */
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

/* The strings of a field that may hold one or a list; all formats that have a name where it is missing. */
std::vector<std::string>
strings_in (const GstStructure *structure, const char *field)
{
  std::vector<std::string> all;
  const GValue *value = gst_structure_get_value (structure, field);
  if (!value)
    for (const DrmName &name : drm_names)
      all.push_back (gst_video_format_to_string (name.format));
  else if (G_VALUE_HOLDS_STRING (value))
    all.push_back (g_value_get_string (value));
  else if (GST_VALUE_HOLDS_LIST (value))
    for (guint i = 0; i < gst_value_list_get_size (value); i++)
      if (const GValue *one = gst_value_list_get_value (value, i); G_VALUE_HOLDS_STRING (one))
        all.push_back (g_value_get_string (one));
  return all;
}

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

std::vector<const char *>
translate (const std::vector<std::string> &from, const char *(*name) (const std::string &) )
{
  std::vector<const char *> to;
  for (const std::string &each : from)
    if (const char *known = name (each))
      to.push_back (known);
  return to;
}

}  // namespace

bool
is_drm (const GstStructure *structure)
{
  return gst_structure_has_field (structure, drm_field);
}

bool
make_plain (GstStructure *structure)
{
  if (!is_drm (structure))
    return true;
  const std::vector<const char *> formats = translate (strings_in (structure, drm_field), plain_name);
  gst_structure_remove_field (structure, drm_field);
  return set_strings (structure, "format", formats);
}

bool
make_drm (GstStructure *structure)
{
  if (is_drm (structure))
    return true;
  const std::vector<const char *> formats = translate (strings_in (structure, "format"), drm_name);
  gst_structure_set (structure, "format", G_TYPE_STRING, drm_format, nullptr);
  return set_strings (structure, drm_field, formats);
}

bool
gstreamer_knows_drm ()
{
  return gst_video_format_from_string (drm_format) != GST_VIDEO_FORMAT_UNKNOWN;
}

bool
video_info_from_caps (GstVideoInfo &info, const GstCaps *caps)
{
  if (gst_caps_get_size (caps) == 0 || !is_drm (gst_caps_get_structure (caps, 0)))
    return gst_video_info_from_caps (&info, caps);
  g_autoptr (GstCaps) plain = gst_caps_copy_nth (caps, 0);
  return make_plain (gst_caps_get_structure (plain, 0)) && gst_video_info_from_caps (&info, plain);
}

}  // namespace gst::cl
