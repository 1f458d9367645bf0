/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory/glsharing.hpp"

#if GST_GL_HAVE_PLATFORM_EGL
#include <gst/gl/egl/gstgldisplay_egl.h>
#endif
#if GST_GL_HAVE_PLATFORM_CGL
#include <OpenGL/OpenGL.h>
#endif

#include <algorithm>
#include <mutex>

extern GstDebugCategory *gst_cl_gl_debug;
#define GST_CAT_DEFAULT gst_cl_gl_debug

namespace gst::cl {

namespace {

using Properties = std::vector<cl_context_properties>;

cl_context_properties
property (gconstpointer handle)
{
  return reinterpret_cast<cl_context_properties> (handle);
}

#if GST_GL_HAVE_PLATFORM_EGL
/* Never the window system's own display, which the GstGLDisplay may be about. */
cl_context_properties
egl_display_of (GstGLContext *gl)
{
  GstGLDisplayEGL *egl = gst_gl_display_egl_from_gl_display (gl->display);
  if (!egl)
    return 0;
  const guintptr handle = gst_gl_display_get_handle (GST_GL_DISPLAY (egl));
  gst_object_unref (egl);
  return cl_context_properties (handle);
}
#endif

/* What binds a CL context to gl; empty where the platform has no such thing. */
Properties
gl_properties (GstGLContext *gl)
{
  const auto handle = cl_context_properties (gst_gl_context_get_gl_context (gl));
  switch (gst_gl_context_get_gl_platform (gl)) {
#if GST_GL_HAVE_PLATFORM_EGL
    case GST_GL_PLATFORM_EGL:
      return {CL_GL_CONTEXT_KHR, handle, CL_EGL_DISPLAY_KHR, egl_display_of (gl)};
#endif
    case GST_GL_PLATFORM_GLX:
      return {CL_GL_CONTEXT_KHR, handle, CL_GLX_DISPLAY_KHR,
        cl_context_properties (gst_gl_display_get_handle (gl->display))};
#if GST_GL_HAVE_PLATFORM_WGL
    case GST_GL_PLATFORM_WGL: {
      HDC device = nullptr;
      run_in_gl_thread (gl, [&] { device = wglGetCurrentDC (); });
      return {CL_GL_CONTEXT_KHR, handle, CL_WGL_HDC_KHR, property (device)};
    }
#endif
#if GST_GL_HAVE_PLATFORM_CGL
    case GST_GL_PLATFORM_CGL:
      return {CL_CONTEXT_PROPERTY_USE_CGL_SHAREGROUP_APPLE,
        property (CGLGetShareGroup (reinterpret_cast<CGLContextObj> (handle)))};
#endif
    default:
      return {};
  }
}

/* Without the platform the loader knows no driver to ask. */
Properties
context_properties (const Device &device, GstGLContext *gl)
{
  Properties properties = gl_properties (gl);
  if (!properties.empty ())
    properties.insert (properties.end (),
        {CL_CONTEXT_PLATFORM, property (device.platform ()), 0});
  return properties;
}

/* "No device" is success with size 0. */
bool
names_device (const Device &device, const Properties &properties)
{
  const auto get_info = reinterpret_cast<clGetGLContextInfoKHR_fn> (clGetExtensionFunctionAddressForPlatform (
      device.platform (), "clGetGLContextInfoKHR"));
  if (!get_info)
    return false;
  for (cl_gl_context_info question : {CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, CL_DEVICES_FOR_GL_CONTEXT_KHR}) {
    cl_device_id devices[16] = {};
    size_t size = 0;
    if (get_info (properties.data (), question, sizeof devices, devices, &size) != CL_SUCCESS)
      continue;
    const auto end = std::begin (devices) + std::min (size / sizeof *devices, std::size (devices));
    if (std::find (std::begin (devices), end, device.handle ()) != end)
      return true;
  }
  return false;
}

/* Bound contexts that are in use. */
struct BoundContext {
  GWeakRef context;
  GWeakRef gl;

  BoundContext (GstClContext *context_object, GstGLContext *gl_object)
  {
    g_weak_ref_init (&context, context_object);
    g_weak_ref_init (&gl, gl_object);
  }
  ~BoundContext ()
  {
    g_weak_ref_clear (&context);
    g_weak_ref_clear (&gl);
  }
};

std::mutex bound_mutex;
std::vector<std::unique_ptr<BoundContext>> bound_contexts;

/* With bound_mutex held. */
ContextRef
find_bound (const Device &device, GstGLContext *gl)
{
  for (const auto &bound : bound_contexts) {
    ContextRef context (static_cast<GstClContext *> (g_weak_ref_get (&bound->context)));
    const GlContextRef other (static_cast<GstGLContext *> (g_weak_ref_get (&bound->gl)));
    if (context && other && Context::of (context.get ()).device.handle () == device.handle ()
        && gst_gl_context_can_share (other.get (), gl))
      return context;
  }
  return {};
}

}  // namespace

/* Drivers ask the GL context that is current, whatever the properties name. */
std::string
refuses_sharing (const Device &device, GstGLContext *gl)
{
  const bool gles = gst_gl_context_get_gl_api (gl) & GST_GL_API_GLES2;
  if (!gst_gl_context_check_gl_version (gl, GST_GL_API_ANY, 3, 0))
    return std::string ("the GL context is older than ") + (gles ? "OpenGL ES 3.0" : "OpenGL 3.0")
           + ", whose textures have no sized formats";
  const Properties properties = context_properties (device, gl);
  if (properties.empty ())
    return "OpenCL has no way to share with this kind of GL context";
  bool is_named = false;
  run_in_gl_thread (gl, [&] { is_named = names_device (device, properties); });
  if (!is_named && !device.has_extension ("cl_khr_gl_sharing"))
    return device.name + " neither lists cl_khr_gl_sharing nor is named by clGetGLContextInfoKHR for this GL context";
  return "";
}

ContextRef
bound_context (const Device &device, GstGLContext *gl)
{
  const std::lock_guard lock (bound_mutex);
  if (ContextRef found = find_bound (device, gl))
    return found;
  const Properties properties = context_properties (device, gl);
  ::cl::Context handle;
  try {
    run_in_gl_thread (gl, [&] { handle = ::cl::Context (device.handle, properties.data ()); });
  } catch (const ::cl::Error &error) {
    throw Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
        device.name + " cannot share memory with this GL context.",
        std::string ("clCreateContext: ") + error_name (error.err ()) + ", driver " + device.driver_version);
  }
  gst_object_ref (gl);
  const ContextRef created = wrap_context (device, handle, std::shared_ptr<void> (gl, gst_object_unref));
  std::erase_if (bound_contexts, [] (const auto &bound) {
    return !ContextRef (static_cast<GstClContext *> (g_weak_ref_get (&bound->context)));
  });
  bound_contexts.push_back (std::make_unique<BoundContext> (created.get (), gl));
  return created;
}

bool
is_bound_to (GstClContext *context, GstGLContext *gl)
{
  const Context &cl = Context::of (context);
  {
    const std::lock_guard lock (bound_mutex);
    if (find_bound (cl.device, gl).get () == context)
      return true;
  }
  /* one that an application made */
  const Properties properties = cl.handle.getInfo<CL_CONTEXT_PROPERTIES> ();
  for (size_t i = 0; i + 1 < properties.size (); i += 2)
    if (properties[i] == CL_GL_CONTEXT_KHR && !cl.companion)
      return true;
  return false;
}

void
forget_bound_context (GstClContext *context)
{
  const std::lock_guard lock (bound_mutex);
  std::erase_if (bound_contexts, [context] (const auto &bound) {
    return ContextRef (static_cast<GstClContext *> (g_weak_ref_get (&bound->context))).get () == context;
  });
}

}  // namespace gst::cl
