/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "interop/element.hpp"

#include "core/debug.hpp"
#include "core/environment.hpp"

#include <algorithm>
#include <iterator>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clinterop", "memory of other interfaces between elements">)

namespace gst::cl {

namespace {

const char *
option_of (MemoryKind kind)
{
  return kind == MemoryKind::gl ? "--gl" : "--video";
}

const char *
name_of (MemoryKind kind)
{
  return kind == MemoryKind::gl ? "GL" : kind == MemoryKind::cuda ? "CUDA" : "DMABuf";
}

}  // namespace

bool
is_cuda_format (GstVideoFormat format)
{
  static constexpr GstVideoFormat formats[] = {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YV12, GST_VIDEO_FORMAT_I420_10LE,
      GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_I422_10LE, GST_VIDEO_FORMAT_I422_12LE, GST_VIDEO_FORMAT_NV12,
      GST_VIDEO_FORMAT_NV21, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_P016_LE, GST_VIDEO_FORMAT_Y444,
      GST_VIDEO_FORMAT_Y444_16LE, GST_VIDEO_FORMAT_GBR, GST_VIDEO_FORMAT_GBRA, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRA,
      GST_VIDEO_FORMAT_RGBx, GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_ABGR, GST_VIDEO_FORMAT_RGB,
      GST_VIDEO_FORMAT_BGR, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_UYVY};
  return std::ranges::find (formats, format) != std::end (formats);
}

GType
interop_get_type ()
{
  static const GEnumValue values[] = {
      {int (Interop::automatic), "The fastest way that works here", "auto"},
      {int (Interop::sharing), "GL memory by cl_khr_gl_sharing, or an error", "sharing"},
      {int (Interop::external), "GL memory that Vulkan exports to both, or an error", "external"},
      {int (Interop::staged), "Copies through the host", "staged"},
      {int (Interop::require), "The fastest way without copies through the host, or an error", "require"},
      {int (Interop::cuda), "CUDA memory as OpenCL imports it, or an error", "cuda"},
      {int (Interop::dmabuf), "DMABuf memory as the driver imports it, or an error", "dmabuf"},
      {0, nullptr, nullptr},
  };
  static const GType type = g_enum_register_static ("GstClInterop", values);
  return type;
}

static Interop
read_default_interop ()
{
  auto *names = static_cast<GEnumClass *> (g_type_class_ref (interop_get_type ()));
  Interop wanted = Interop::automatic;
  for (const char *variable : {"GST_CL_GL_INTEROP", "GST_CL_INTEROP"})
    if (const char *text = environment (variable)) {
      if (const GEnumValue *value = g_enum_get_value_by_nick (names, text))
        wanted = Interop (value->value);
      else
        GST_WARNING ("%s=%s is unknown and has no effect", variable, text);
    }
  g_type_class_unref (names);
  return wanted;
}

Interop
default_interop ()
{
  static const Interop wanted = read_default_interop (); /* once, so that a wrong value is logged once */
  return wanted;
}

Failure
refusal (MemoryKind kind, const std::string &problem, const std::string &reason)
{
  return Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
      problem + ": " + reason + ". interop=auto uses a way that works; cl-info " + option_of (kind)
          + " shows what this machine supports.",
      reason);
}

void
MemoryElement::explore (const ContextRef &context, const GstVideoInfo &info) noexcept
{
  try {
    if (!known)
      find_out (context, info);
  } catch (const std::exception &error) {
    GST_INFO_OBJECT (element, "%s memory is not preferred: %s", name_of (kind), error.what ());
  }
}

void
MemoryElement::warn_of_staging (const std::string &why, const std::string &reason)
{
  if (warned.exchange (true))
    return;
  GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS,
      ("Frames in %s memory are copied through the host, because %s. Run cl-info %s for the reasons; interop=staged silences "
       "this warning.",
          name_of (kind), why.c_str (), option_of (kind)),
      ("%s", reason.c_str ()));
}

}  // namespace gst::cl
