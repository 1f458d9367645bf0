/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "interop/element.hpp"

#include "config.h"
#include "interop/cudaelement.hpp"

#include <cstdlib>

namespace gst::cl {

namespace {

/* $GST_CL_GL_INTEROP takes the place of the default, for a whole program. */
GlInterop
default_interop ()
{
  const char *text = std::getenv ("GST_CL_GL_INTEROP");
  auto *names = static_cast<GEnumClass *> (g_type_class_ref (gl_interop_get_type ()));
  const GEnumValue *value = text ? g_enum_get_value_by_nick (names, text) : nullptr;
  g_type_class_unref (names);
  return value ? GlInterop (value->value) : GlInterop::automatic;
}

}  // namespace

GType
gl_interop_get_type ()
{
  static const GEnumValue values[] = {
      {int (GlInterop::automatic), "The fastest way that works here", "auto"},
      {int (GlInterop::sharing), "cl_khr_gl_sharing, or an error", "sharing"},
      {int (GlInterop::external), "Memory that Vulkan exports to both, or an error", "external"},
      {int (GlInterop::staged), "Copies through the host", "staged"},
      {int (GlInterop::require), "The fastest way without copies through the host, or an error", "require"},
      {0, nullptr, nullptr},
  };
  static const GType type = g_enum_register_static ("GstClGlInterop", values);
  return type;
}

InteropElement::InteropElement (MemoryKind kind_) : kind (kind_), wanted (default_interop ()) {}

std::vector<std::unique_ptr<MemoryElement>>
make_memory_elements ([[maybe_unused]] GstElement *element)
{
  std::vector<std::unique_ptr<MemoryElement>> all;
#ifdef HAVE_CUDA
  all.push_back (make_cuda_element (element));
#endif
  return all;
}

}  // namespace gst::cl
