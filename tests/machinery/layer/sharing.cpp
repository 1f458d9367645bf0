/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Acquire, release, and events of GL syncs. */
#include <future>

#include "report.hpp"
#include "settings.hpp"
#include "transfer.hpp"

namespace layer {

namespace {

/* GL commands of the calling thread's context must be complete when an object is acquired. With cl_khr_gl_event, and in the
 * context that the CL context was made with, OpenCL waits for them, and a fence is returned. Otherwise pending commands are a
 * broken rule. Contexts that are current in other threads cannot be checked. */
GLsync
fence_calling_thread (const Context &context)
{
  if (settings ().gl_event && context.binding.is_current ()) {
    const GLsync fence = Gl::get ()->FenceSync (GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    Gl::get ()->Flush ();
    return fence;
  }
  if (!settings ().gl_event && has_pending_gl_commands ())
    report ("gl-pending", "GL commands of the calling thread are not complete at acquire");
  return nullptr;
}

cl_int
enqueue (Transfer &transfer)
{
  const Context &context = *transfer.context;
  return transfer.enqueue (context.gl, transfer.is_acquire () ? fence_calling_thread (context) : nullptr);
}

/* The application may delete the sync as soon as this returns; the GL thread's wait holds it from its start on. */
cl_event CL_API_CALL
create_event_from_gl_sync (cl_context handle, cl_GLsync name, cl_int *errcode_ret)
{
  const std::shared_ptr<Context> context = find_context (handle);
  const GLsync sync = reinterpret_cast<GLsync> (name);
  cl_int error = context && context->gl && settings ().gl_event ? CL_SUCCESS : CL_INVALID_CONTEXT;
  if (error == CL_SUCCESS)
    context->gl->run ([&] (const Gl &gl) { error = gl.IsSync (sync) ? CL_SUCCESS : CL_INVALID_GL_OBJECT; });
  cl_event event = nullptr;
  if (error == CL_SUCCESS)
    event = next ().clCreateUserEvent (handle, &error);
  set_error (errcode_ret, error);
  if (!event)
    return nullptr;
  count ("gl-syncs");
  remember_event (event, CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR);
  next ().clRetainEvent (event);
  const auto started = std::make_shared<std::promise<void>> ();
  std::future<void> start = started->get_future ();
  const bool posted = context->gl->post ([event, sync, started] (const Gl &gl) {
    started->set_value ();
    wait_for_sync (gl, sync);
    next ().clSetUserEventStatus (event, CL_COMPLETE);
    next ().clReleaseEvent (event);
  });
  if (posted)
    start.wait ();
  return event;
}

}  // namespace

void
hook_sharing (cl_icd_dispatch &dispatch)
{
  dispatch.clEnqueueAcquireGLObjects = hand_over<CL_COMMAND_ACQUIRE_GL_OBJECTS, enqueue>;
  dispatch.clEnqueueReleaseGLObjects = hand_over<CL_COMMAND_RELEASE_GL_OBJECTS, enqueue>;
  dispatch.clCreateEventFromGLsyncKHR = create_event_from_gl_sync;
}

}  // namespace layer
