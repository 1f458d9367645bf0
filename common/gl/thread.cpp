/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl/thread.hpp"

#include <exception>

/* Headers before GL 4.5 lack this name. */
#ifndef GL_CONTEXT_LOST
#define GL_CONTEXT_LOST 0x0507
#endif

namespace gst::cl {

/* Exceptions must not cross GStreamer's frames. */
void
run_in_gl_thread (GstGLContext *gl, const std::function<void ()> &work)
{
  std::exception_ptr failure;
  std::function<void ()> job = [&] {
    try {
      work ();
    } catch (...) {
      failure = std::current_exception ();
    }
  };
  gst_gl_context_thread_add (
      gl, [] (GstGLContext *, gpointer data) { (*static_cast<std::function<void ()> *> (data)) (); }, &job);
  if (failure)
    std::rethrow_exception (failure);
}

Failure
gl_failure (GLenum error, const std::string &call, const std::string &what)
{
  const std::string debug = call + ": GL error " + std::to_string (error);
  switch (error) {
    case GL_OUT_OF_MEMORY:
      return Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
          "GL has no memory for a video frame (GL_OUT_OF_MEMORY). End other programs that use the GPU, or take smaller frames.",
          debug);
    case GL_CONTEXT_LOST:
      return Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
          "The GL context is lost (GL_CONTEXT_LOST). Set the pipeline to NULL and play it in another GL context; if it fails "
          "again, "
          "restart the program.",
          debug);
    default:
      return Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, what, debug);
  }
}

void
require_sound_gl (GstGLContext *gl)
{
  GLenum found = GL_NO_ERROR;
  constexpr int most_kinds = 16;
  for (int i = 0; i < most_kinds; i++) {
    const GLenum error = gl->gl_vtable->GetError ();
    if (error == GL_NO_ERROR)
      break;
    if (error == GL_OUT_OF_MEMORY || error == GL_CONTEXT_LOST)
      found = error;
  }
  if (found != GL_NO_ERROR)
    throw gl_failure (found, "glGetError", "");
}

GLsync
insert_fence (GstGLContext *gl)
{
  const GstGLFuncs &functions = *gl->gl_vtable;
  if (!functions.FenceSync)
    return nullptr;
  const GLsync fence = functions.FenceSync (GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  functions.Flush ();
  return fence;
}

void
finish_gl (GstGLContext *gl)
{
  const GstGLFuncs &functions = *gl->gl_vtable;
  const GLsync fence = insert_fence (gl);
  if (!fence) {
    functions.Finish ();
    return;
  }
  constexpr guint64 one_second = 1'000'000'000;
  GLenum result;
  do
    result = functions.ClientWaitSync (fence, GL_SYNC_FLUSH_COMMANDS_BIT, one_second);
  while (result == GL_TIMEOUT_EXPIRED);
  functions.DeleteSync (fence);
  if (result == GL_WAIT_FAILED)
    functions.Finish ();
}

}  // namespace gst::cl
