/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/context.hpp"
#include "gl/interop.hpp"

#include "report.hpp"

#include <cstdio>
#include <gst/gl/gl.h>
#include <gst/gl/gstglfuncs.h>

using gst::cl::Device;
using gst::cl::Verdict;

namespace {

/* EXT_memory_object, which some GL headers lack */
constexpr guint GL_NUM_DEVICE_UUIDS = 0x9596, GL_DEVICE_UUID = 0x9597;
constexpr size_t UUID_SIZE = 16;

const std::vector<std::string> relevant_extensions{"GL_EXT_memory_object", "GL_EXT_memory_object_fd",
    "GL_EXT_memory_object_win32", "GL_EXT_semaphore", "GL_EXT_semaphore_fd", "GL_ARB_sync", "GL_ARB_cl_event",
    "GL_ARB_copy_image", "GL_EXT_texture_norm16", "EGL_KHR_fence_sync", "EGL_KHR_cl_event2", "EGL_ANDROID_native_fence_sync",
    "EGL_MESA_image_dma_buf_export", "EGL_EXT_image_dma_buf_import"};

std::string
string_of (GstGLContext *context, guint name)
{
  const auto *text = reinterpret_cast<const char *> (context->gl_vtable->GetString (name));
  return text ? text : "(not told)";
}

/* The UUID of the context's first device, which must equal the OpenCL device's for external memory. */
void
tell_uuid (Json to, GstGLContext *context)
{
  using GetByte = void (GSTGLAPI *) (guint, guint, guint8 *);
  const auto get = reinterpret_cast<GetByte> (gst_gl_context_get_proc_address (context, "glGetUnsignedBytei_vEXT"));
  gint count = 0;
  if (!gst_gl_context_check_feature (context, "GL_EXT_memory_object") || !get)
    return;
  context->gl_vtable->GetIntegerv (GL_NUM_DEVICE_UUIDS, &count);
  guint8 uuid[UUID_SIZE] = {};
  if (count < 1)
    return;
  get (GL_DEVICE_UUID, 0, uuid);
  to.member ("uuid", hex_of (uuid, sizeof uuid));
}

/* Runs in the GL thread. */
void
tell_context (GstGLContext *context, gpointer data)
{
  auto &to = *static_cast<Json *> (data);
  to.member ("vendor", string_of (context, GL_VENDOR)).member ("renderer", string_of (context, GL_RENDERER));
  to.member ("version", string_of (context, GL_VERSION));
  tell_uuid (to, context);
  std::string extensions;
  for (const std::string &name : relevant_extensions)
    if (gst_gl_context_check_feature (context, name.c_str ()))
      extensions += (extensions.empty () ? "" : " ") + name;
  to.member ("extensions", extensions);
}

/* The GL context that GStreamer's environment variables select. */
struct GlContext {
  gst::cl::Ref<GstGLDisplay> display;
  gst::cl::Ref<GstGLContext> context;
};

/* Throws std::runtime_error with the reason if there is none. */
GlContext
make_gl_context ()
{
  /* without a display, GStreamer's X11 window would crash, and Wayland's error is vague */
  for (const auto &[window, variable] : {std::pair ("x11", "DISPLAY"), {"wayland", "WAYLAND_DISPLAY"}})
    if (!g_strcmp0 (g_getenv ("GST_GL_WINDOW"), window) && !g_getenv (variable))
      throw std::runtime_error (std::string (variable) + " is not set");
  GlContext made;
  made.display = decltype (made.display) (gst_gl_display_new ());
  made.context = decltype (made.context) (gst_gl_context_new (made.display.get ()));
  ensure (bool (made.context), "GStreamer has no such GL here");
  checked_call ([&made] (GError **error) { return gst_gl_context_create (made.context.get (), nullptr, error); },
      "the context cannot be made");
  return made;
}

/* one format for each kind of texture: RGBA8, R8, several R8, R8 with RG8, RG8 alone, R16 with RG16 */
constexpr GstVideoFormat formats[]{GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_P010_10LE};

Verdict
probe (const std::string &method, const Device &device, GstGLContext *gl, GstVideoFormat format)
{
  using gst::cl::GlPath;
  const GlPath path = method == "sharing" ? GlPath::shared : method == "external" ? GlPath::external : GlPath::staged;
  return gst::cl::probe_gl (path, device, gl, format);
}

}  // namespace

void
probe_gl (Json to)
{
  try {
    const GlContext gl = make_gl_context ();
    const Chars platform (gst_gl_platform_to_string (gst_gl_context_get_gl_platform (gl.context.get ())));
    auto *types = static_cast<GFlagsClass *> (g_type_class_ref (GST_TYPE_GL_DISPLAY_TYPE));
    const GFlagsValue *window = g_flags_get_first_value (types, gst_gl_display_get_handle_type (gl.display.get ()));
    to.member ("kind", platform.get () + std::string ("/") + (window ? window->value_nick : "other"));
    g_type_class_unref (types);
    gst_gl_context_thread_add (gl.context.get (), tell_context, &to);
  } catch (const std::exception &error) {
    to.member ("reason", error.what ());
  }
}

int
probe_pair (Json to, const std::string &wanted, const std::string &method)
{
  try {
    const GlContext gl = make_gl_context ();
    for (const Device &device : gst::cl::list_devices ()) {
      if (device.numbers () != wanted)
        continue;
      for (const GstVideoFormat format : formats)
        tell_format (to, gst_video_format_to_string (format), probe (method, device, gl.context.get (), format));
      return 0;
    }
    std::fprintf (stderr, "the device is gone\n");
  } catch (const std::exception &error) {
    std::fprintf (stderr, "%s\n", error.what ());
  }
  return 1;
}
