/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Acquire and release, for images of any origin. */
#pragma once

#include "objects.hpp"

namespace layer {

using Objects = std::vector<std::shared_ptr<Object>>;

/* An acquire or release command: the function's arguments, and what begin () finds. */
struct Transfer {
  cl_command_type type;
  cl_command_queue queue;
  cl_uint n_objects;
  const cl_mem *handles;
  cl_uint n_events;
  const cl_event *events;
  cl_event *event;

  std::shared_ptr<Context> context;
  Objects objects;

  bool is_acquire () const
  {
    return type == CL_COMMAND_ACQUIRE_GL_OBJECTS || type == CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR;
  }
  bool is_external () const { return type != CL_COMMAND_ACQUIRE_GL_OBJECTS && type != CL_COMMAND_RELEASE_GL_OBJECTS; }

  /* Checks the arguments, and marks the objects as acquired or released; or returns the specification's error. Only an acquire
   * of GL's objects may wait for GL's syncs. */
  cl_int begin ();

  /* Enqueues the work on images. fence: a fence of GL commands to wait for, or null; it is deleted. */
  cl_int enqueue (const std::shared_ptr<GlThread> &gl, GLsync fence = nullptr) const;

  /* Returns the event of the enqueued command to the application, if it wants it. */
  void finish (cl_event done) const;

private:
  cl_int collect ();
  cl_int claim ();
  cl_int give_back ();
};

/* OpenCL's function for such commands, which `enqueue` enqueues after the checks. */
template <cl_command_type type, cl_int enqueue (Transfer &transfer)>
cl_int CL_API_CALL
hand_over (
    cl_command_queue queue, cl_uint n_objects, const cl_mem *objects, cl_uint n_events, const cl_event *events, cl_event *event)
{
  Transfer transfer = {type, queue, n_objects, objects, n_events, events, event};
  const cl_int error = transfer.begin ();
  return error == CL_SUCCESS ? enqueue (transfer) : error;
}

/* Whether the calling thread's current GL context, if any, has incomplete commands. */
bool has_pending_gl_commands ();

/* Runs on the GL thread; reports a sync that is never signalled. */
void wait_for_sync (const Gl &gl, GLsync sync);

}  // namespace layer
