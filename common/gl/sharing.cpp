/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl/sharing.hpp"

#include "core/debug.hpp"

#if GST_GL_HAVE_PLATFORM_EGL
#include <gst/gl/egl/gstgldisplay_egl.h>
#endif
#if GST_GL_HAVE_PLATFORM_CGL
#include <OpenGL/OpenGL.h>
#endif

#include <algorithm>
#include <list>
#include <mutex>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clgl", "exchange of frames between GL and OpenCL">)

namespace gst::cl {

namespace {

using Properties = std::vector<cl_context_properties>;

cl_context_properties
property (gconstpointer handle)
{
  return reinterpret_cast<cl_context_properties> (handle);
}

#if GST_GL_HAVE_PLATFORM_EGL
/* The EGL display of gl; the GstGLDisplay may hold the window system's instead. */
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

/* The properties that bind a CL context to gl; empty if the platform has none. */
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
      return {CL_GL_CONTEXT_KHR, handle, CL_GLX_DISPLAY_KHR, cl_context_properties (gst_gl_display_get_handle (gl->display))};
#if GST_GL_HAVE_PLATFORM_WGL
    case GST_GL_PLATFORM_WGL: {
      HDC device = nullptr;
      run_in_gl_thread (gl, [&] { device = wglGetCurrentDC (); });
      return {CL_GL_CONTEXT_KHR, handle, CL_WGL_HDC_KHR, property (device)};
    }
#endif
#if GST_GL_HAVE_PLATFORM_CGL
    case GST_GL_PLATFORM_CGL:
      return {
          CL_CONTEXT_PROPERTY_USE_CGL_SHAREGROUP_APPLE, property (CGLGetShareGroup (reinterpret_cast<CGLContextObj> (handle)))};
#endif
    default:
      return {};
  }
}

/* Includes the platform, without which the loader does not find the driver. */
Properties
context_properties (const Device &device, GstGLContext *gl)
{
  Properties properties = gl_properties (gl);
  if (properties.empty ())
    return {};
  properties.push_back (CL_CONTEXT_PLATFORM);
  properties.push_back (property (device.platform ()));
  properties.push_back (0);
  return properties;
}

/* "No device" is success with size 0. The loader's own function calls the driver's even if the driver has none. */
bool
names_device (const Device &device, const Properties &properties)
{
  const auto get_info = reinterpret_cast<clGetGLContextInfoKHR_fn> (
      clGetExtensionFunctionAddressForPlatform (device.platform (), "clGetGLContextInfoKHR"));
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

/* A bound context that is in use. */
struct BoundContext {
  WeakRef<GstClContext> context;
  WeakRef<GstGLContext> gl;
};

std::mutex bound_mutex;
std::list<BoundContext> bound_contexts;

/* References that were taken with the lock held, and are released without it, because dropping the last one waits for the
 * device. */
using References = std::vector<std::pair<ContextRef, GlContextRef>>;

/* Finds a context that has not failed, with the lock held. */
ContextRef
find_bound (const Device &device, GstGLContext *gl, References &seen)
{
  for (const BoundContext &bound : bound_contexts) {
    const auto &[context, other] = seen.emplace_back (bound.context.get (), bound.gl.get ());
    if (context && other && !Context::of (context.get ()).failed
        && Context::of (context.get ()).device.handle () == device.handle () && gst_gl_context_can_share (other.get (), gl))
      return context;
  }
  return {};
}

ContextRef
find_bound (const Device &device, GstGLContext *gl)
{
  References seen;
  const std::lock_guard lock (bound_mutex);
  return find_bound (device, gl, seen);
}

/* Adds created to the list, or returns the context that another thread has added meanwhile. */
ContextRef
add_bound (const ContextRef &created, GstGLContext *gl)
{
  References seen;
  const std::lock_guard lock (bound_mutex);
  if (ContextRef theirs = find_bound (Context::of (created.get ()).device, gl, seen))
    return theirs;
  BoundContext &added = bound_contexts.emplace_back ();
  added.context.set (created);
  added.gl.set (GlContextRef::retain (gl));
  return created;
}

}  // namespace

/* If context is null, forgets the contexts that are gone. */
void
forget_bound_context (GstClContext *context)
{
  References seen;
  const std::lock_guard lock (bound_mutex);
  std::erase_if (bound_contexts, [&] (const BoundContext &bound) {
    return seen.emplace_back (bound.context.get (), GlContextRef ()).first.get () == context;
  });
}

/* Drivers query the current GL context, not the one in the properties. */
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
  if (device.has_extension ("cl_khr_gl_sharing"))
    return "";
  /* NVIDIA's driver lists only the extension that builds on it */
  if (!device.has_extension ("cl_khr_gl_event"))
    return device.name + " does not list cl_khr_gl_sharing";
  bool is_named = false;
  run_in_gl_thread (gl, [&] { is_named = names_device (device, properties); });
  return is_named ? "" : device.name + " is not named by clGetGLContextInfoKHR for this GL context (cl_khr_gl_sharing)";
}

/* No lock is held while the GL thread creates the context, because that thread may work for other elements. */
ContextRef
bound_context (const Device &device, GstGLContext *gl)
{
  if (ContextRef found = find_bound (device, gl))
    return found;
  const Properties properties = context_properties (device, gl);
  ::cl::Context handle;
  try {
    run_in_gl_thread (gl, [&] { handle = ::cl::Context (device.handle, properties.data ()); });
  } catch (const ::cl::Error &error) {
    throw Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
        device.name + " cannot share memory with this GL context. Set gl-interop=staged, which copies frames.",
        std::string ("clCreateContext: ") + error_name (error.err ()) + ", driver " + device.driver_version);
  }
  gst_object_ref (gl);
  const ContextRef created = wrap_context (device, handle, std::shared_ptr<void> (gl, gst_object_unref));
  forget_bound_context (nullptr);
  return add_bound (created, gl);
}

/* Queries the size first: PoCL 3.1 writes beyond an empty list. */
static Properties
properties_of (const ::cl::Context &context)
{
  size_t size = 0;
  if (clGetContextInfo (context (), CL_CONTEXT_PROPERTIES, 0, nullptr, &size) != CL_SUCCESS || size == 0)
    return {};
  return context.getInfo<CL_CONTEXT_PROPERTIES> ();
}

bool
is_bound_to (GstClContext *context, GstGLContext *gl)
{
  const Context &cl = Context::of (context);
  if (find_bound (cl.device, gl).get () == context)
    return true;
  /* a context of an application */
  const Properties properties = properties_of (cl.handle);
  for (size_t i = 0; i + 1 < properties.size (); i += 2)
    if (properties[i] == CL_GL_CONTEXT_KHR && !cl.open->companion)
      return true;
  return false;
}

}  // namespace gst::cl
