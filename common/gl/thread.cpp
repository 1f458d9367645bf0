/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl/thread.hpp"

#include <exception>

namespace gst::cl {

namespace {

struct Job {
  const std::function<void ()> &work;
  std::exception_ptr failure;
};

/* Exceptions do not cross GStreamer's frames: they are carried. */
void
run_job (GstGLContext *, gpointer data)
{
  auto *job = static_cast<Job *> (data);
  try {
    job->work ();
  } catch (...) {
    job->failure = std::current_exception ();
  }
}

}  // namespace

void
run_in_gl_thread (GstGLContext *gl, const std::function<void ()> &work)
{
  Job job{work, nullptr};
  gst_gl_context_thread_add (gl, run_job, &job);
  if (job.failure)
    std::rethrow_exception (job.failure);
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
