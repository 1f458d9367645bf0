/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory/glsemaphore.hpp"
#include "memory/vulkan.hpp"

#include <gst/gl/gstglfuncs.h>

GST_DEBUG_CATEGORY_STATIC (gst_cl_semaphore_debug);
#define GST_CAT_DEFAULT gst_cl_semaphore_debug

/* Headers of GL and OpenCL that are older than these extensions lack the names. */
#ifndef GL_HANDLE_TYPE_OPAQUE_FD_EXT
#define GL_HANDLE_TYPE_OPAQUE_FD_EXT 0x9586
#endif
#ifndef GL_LAYOUT_GENERAL_EXT
#define GL_LAYOUT_GENERAL_EXT 0x958D
#endif
#ifndef CL_SEMAPHORE_TYPE_KHR
#define CL_SEMAPHORE_TYPE_KHR 0x203D
#define CL_SEMAPHORE_TYPE_BINARY_KHR 1
#endif
#ifndef CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR
#define CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR 0x2055
#endif

namespace gst::cl {

namespace {

/* cl_semaphore_khr, which older headers lack. */
using ClSemaphore = struct _cl_semaphore_khr *;

/* So many commands are in flight at most before a semaphore is used again. */
constexpr size_t max_slots = 16;

constexpr GLuint64 wait_step_ns = 1'000'000'000;

void
init_debug ()
{
  static gsize once = 0;
  if (g_once_init_enter (&once)) {
    GST_DEBUG_CATEGORY_INIT (gst_cl_semaphore_debug, "clglsemaphore", 0, "semaphores between GL and OpenCL");
    g_once_init_leave (&once, 1);
  }
}

}  // namespace

struct ExternalSync::Functions {
  ClSemaphore (CL_API_CALL *create) (cl_context, const cl_ulong *, cl_int *);
  cl_int (CL_API_CALL *destroy) (ClSemaphore);
  cl_int (CL_API_CALL *wait) (
      cl_command_queue, cl_uint, const ClSemaphore *, const cl_ulong *, cl_uint, const cl_event *, cl_event *);
  cl_int (CL_API_CALL *signal) (
      cl_command_queue, cl_uint, const ClSemaphore *, const cl_ulong *, cl_uint, const cl_event *, cl_event *);

  void (GSTGLAPI *GenSemaphores) (GLsizei, GLuint *);
  void (GSTGLAPI *DeleteSemaphores) (GLsizei, const GLuint *);
  void (GSTGLAPI *ImportSemaphoreFd) (GLuint, GLenum, GLint);
  void (GSTGLAPI *SignalSemaphore) (GLuint, GLuint, const GLuint *, GLuint, const GLuint *, const GLenum *);
  void (GSTGLAPI *WaitSemaphore) (GLuint, GLuint, const GLuint *, GLuint, const GLuint *, const GLenum *);
};

/* One semaphore under its three names, and what says that it may be signalled again. */
struct ExternalSync::Slot {
  Slot (const Functions &functions_, ExternalMemory &memory, vulkan::Device &device);
  ~Slot ();
  bool is_free () const;
  void wait_until_free () const;
  void import_to_gl ();
  void import_to_cl (cl_context context);

  const Functions &functions;
  GstGLContext *const gl;
  std::unique_ptr<vulkan::Semaphore> allocation;
  GLuint gl_name = 0;
  ClSemaphore cl_handle = nullptr;
  /** The wait, by OpenCL or by GL. */
  ::cl::Event cl_wait;
  GLsync gl_wait = nullptr;
};

ExternalSync::Slot::Slot (const Functions &functions_, ExternalMemory &memory, vulkan::Device &device)
    : functions (functions_), gl (memory.gl_context ()), allocation (device.create_semaphore ())
{
  try {
    import_to_gl ();
    import_to_cl (Context::of (memory.context ().get ()).handle ());
  } catch (...) {
    if (gl_name)
      functions.DeleteSemaphores (1, &gl_name);
    throw;
  }
}

void
ExternalSync::Slot::import_to_gl ()
{
  for (int n = 0; n < 16 && gl->gl_vtable->GetError () != GL_NO_ERROR; n++)
    continue;
  functions.GenSemaphores (1, &gl_name);
  vulkan::Descriptor handle = allocation->export_handle ();
  functions.ImportSemaphoreFd (gl_name, GL_HANDLE_TYPE_OPAQUE_FD_EXT, handle.get ());
  const GLenum error = gl->gl_vtable->GetError ();
  if (error != GL_NO_ERROR)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, "GL cannot use a semaphore of Vulkan.",
        "glImportSemaphoreFdEXT: GL error " + std::to_string (error));
  handle.release ();
}

void
ExternalSync::Slot::import_to_cl (cl_context context)
{
  vulkan::Descriptor handle = allocation->export_handle ();
  const cl_ulong properties[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
    CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, cl_ulong (handle.get ()), 0};
  cl_int status = CL_SUCCESS;
  cl_handle = functions.create (context, properties, &status);
  if (status != CL_SUCCESS || !cl_handle)
    throw ::cl::Error (status, "clCreateSemaphoreWithPropertiesKHR");
  handle.release ();
}

/* In the GL thread. What still runs keeps the payload alive. */
ExternalSync::Slot::~Slot ()
{
  if (cl_handle)
    functions.destroy (cl_handle);
  if (gl_wait)
    gl->gl_vtable->DeleteSync (gl_wait);
  if (gl_name)
    functions.DeleteSemaphores (1, &gl_name);
}

bool
ExternalSync::Slot::is_free () const
{
  if (cl_wait () && cl_wait.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS> () > CL_COMPLETE)
    return false;
  if (gl_wait && gl->gl_vtable->ClientWaitSync (gl_wait, 0, 0) == GL_TIMEOUT_EXPIRED)
    return false;
  return true;
}

/* Throws where the wait failed: then nobody knows the semaphore's state. */
void
ExternalSync::Slot::wait_until_free () const
{
  if (cl_wait ())
    cl_wait.wait ();
  if (gl_wait && gl->gl_vtable->ClientWaitSync (gl_wait, GL_SYNC_FLUSH_COMMANDS_BIT, wait_step_ns) == GL_TIMEOUT_EXPIRED)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, "The GPU does not answer.",
        "a semaphore was not waited for within a second");
}

ExternalSync::ExternalSync (std::shared_ptr<ExternalMemory> memory_)
    : memory (std::move (memory_)), functions (std::make_unique<Functions> ())
{
}

ExternalSync::~ExternalSync ()
{
  if (to_cl.empty () && to_gl.empty ())
    return;
  gst_gl_context_thread_add (
      memory->gl_context (),
      [] (GstGLContext *gl, gpointer data) {
        auto *self = static_cast<ExternalSync *> (data);
        gl->gl_vtable->Finish ();
        self->to_cl.clear ();
        self->to_gl.clear ();
      },
      this);
}

std::unique_ptr<ExternalSync>
ExternalSync::create (std::shared_ptr<ExternalMemory> memory, std::string &why_not) noexcept
{
  init_debug ();
  std::unique_ptr<ExternalSync> created;
  GError *error = nullptr;
  run_guarded (&error, [&] {
    std::unique_ptr<ExternalSync> candidate (new ExternalSync (std::move (memory)));
    why_not = candidate->start ();
    if (why_not.empty ())
      created = std::move (candidate);
  });
  if (error)
    why_not = error->message;
  g_clear_error (&error);
  if (!created)
    GST_INFO ("no semaphores between GL and OpenCL: %s", why_not.c_str ());
  return created;
}

/* What is missing, or "" for success. */
std::string
ExternalSync::start ()
{
  const Device &device = Context::of (memory->context ().get ()).device;
  const std::string extensions = " " + device.handle.getInfo<CL_DEVICE_EXTENSIONS> () + " ";
  for (const char *extension : {"cl_khr_semaphore", "cl_khr_external_semaphore_opaque_fd"})
    if (extensions.find (std::string (" ") + extension + " ") == std::string::npos)
      return "the OpenCL device " + device.name + " lacks " + extension;
  GstGLContext *const gl = memory->gl_context ();
  for (const char *extension : {"GL_EXT_semaphore", "GL_EXT_semaphore_fd"})
    if (!gst_gl_context_check_feature (gl, extension))
      return std::string ("GL lacks ") + extension;
  if (!memory->device->has_semaphores ())
    return "Vulkan lacks " VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME;

  const cl_platform_id platform = device.handle.getInfo<CL_DEVICE_PLATFORM> ();
  bool complete = gl->gl_vtable->FenceSync && gl->gl_vtable->ClientWaitSync && gl->gl_vtable->DeleteSync;
  const auto load_cl = [&] (auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype (function)>> (
        clGetExtensionFunctionAddressForPlatform (platform, name));
    complete &= function != nullptr;
  };
  const auto load_gl = [&] (auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype (function)>> (
        gst_gl_context_get_proc_address (gl, name));
    complete &= function != nullptr;
  };
  load_cl (functions->create, "clCreateSemaphoreWithPropertiesKHR");
  load_cl (functions->destroy, "clReleaseSemaphoreKHR");
  load_cl (functions->wait, "clEnqueueWaitSemaphoresKHR");
  load_cl (functions->signal, "clEnqueueSignalSemaphoresKHR");
  load_gl (functions->GenSemaphores, "glGenSemaphoresEXT");
  load_gl (functions->DeleteSemaphores, "glDeleteSemaphoresEXT");
  load_gl (functions->ImportSemaphoreFd, "glImportSemaphoreFdEXT");
  load_gl (functions->SignalSemaphore, "glSignalSemaphoreEXT");
  load_gl (functions->WaitSemaphore, "glWaitSemaphoreEXT");
  if (!complete)
    return "a function of the semaphore extensions is missing";

  /* Both imports once: what is listed may still be refused. */
  to_cl.push_back (std::make_unique<Slot> (*functions, *memory, *memory->device));
  return "";
}

/* A semaphore that nobody waits for any more. It goes back into the ring once it is in use again; after a failure it is
 * dropped, since nobody knows its state. */
std::unique_ptr<ExternalSync::Slot>
ExternalSync::take_slot (std::vector<std::unique_ptr<Slot>> &ring)
{
  if (ring.empty () || (ring.size () < max_slots && !ring.front ()->is_free ()))
    return std::make_unique<Slot> (*functions, *memory, *memory->device);
  std::unique_ptr<Slot> taken = std::move (ring.front ());
  ring.erase (ring.begin ());
  taken->wait_until_free ();
  return taken;
}

void
ExternalSync::gl_to_cl (cl_command_queue queue, std::span<const guint> textures)
{
  std::unique_ptr<Slot> slot = take_slot (to_cl);
  const std::vector<GLenum> layouts (textures.size (), GL_LAYOUT_GENERAL_EXT);
  functions->SignalSemaphore (
      slot->gl_name, 0, nullptr, GLuint (textures.size ()), textures.data (), layouts.data ());
  /* a semaphore that only waits in a buffer of GL would hold up OpenCL for good */
  memory->gl_context ()->gl_vtable->Flush ();
  cl_event waited = nullptr;
  const cl_int status = functions->wait (queue, 1, &slot->cl_handle, nullptr, 0, nullptr, &waited);
  if (status != CL_SUCCESS)
    throw ::cl::Error (status, "clEnqueueWaitSemaphoresKHR");
  slot->cl_wait = ::cl::Event (waited);
  to_cl.push_back (std::move (slot));
}

void
ExternalSync::cl_to_gl (cl_command_queue queue, std::span<const guint> textures)
{
  std::unique_ptr<Slot> slot = take_slot (to_gl);
  cl_int status = functions->signal (queue, 1, &slot->cl_handle, nullptr, 0, nullptr, nullptr);
  if (status == CL_SUCCESS)
    status = clFlush (queue);
  if (status != CL_SUCCESS)
    throw ::cl::Error (status, "clEnqueueSignalSemaphoresKHR");
  const std::vector<GLenum> layouts (textures.size (), GL_LAYOUT_GENERAL_EXT);
  const GstGLFuncs *gl = memory->gl_context ()->gl_vtable;
  functions->WaitSemaphore (slot->gl_name, 0, nullptr, GLuint (textures.size ()), textures.data (), layouts.data ());
  if (slot->gl_wait)
    gl->DeleteSync (slot->gl_wait);
  slot->gl_wait = gl->FenceSync (GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  to_gl.push_back (std::move (slot));
}

}  // namespace gst::cl
