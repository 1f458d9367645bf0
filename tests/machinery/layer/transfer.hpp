/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Acquire and release, for images of any origin. */
#pragma once

#include "objects.hpp"

namespace layer {

/* The arguments of an acquire or release command. */
struct Arguments {
  cl_command_queue queue;
  cl_uint n_objects;
  const cl_mem *objects;
  cl_uint n_events;
  const cl_event *events;
  cl_event *event;
};

using Images = std::vector<std::shared_ptr<Image>>;

/* Null for a queue of an unknown context. */
std::shared_ptr<Context> context_of (cl_command_queue queue);

/* Whether the calling thread's current GL context, if any, has incomplete commands. */
bool has_pending_gl_commands ();

/* Runs on the GL thread; reports a sync that is never signalled. */
void wait_for_sync (const Gl &gl, GLsync sync);

/* Checks the arguments of a function, and collects the objects, from external memory or from GL; or returns the specification's error. Only
 * an acquire of GL's objects may wait for GL's syncs. */
cl_int collect (
    const Arguments &arguments, const std::string &name, bool external, std::shared_ptr<Context> &context, Images &images);

/* Marks textures as acquired, or as released. */
cl_int claim (const Images &images);
cl_int give_back (const Images &images);

/* Enqueues the commands. fence: a fence of GL commands to wait for, or null; it is deleted. */
cl_int enqueue_load (const Context &context, const std::shared_ptr<GlThread> &gl, const Arguments &arguments,
    const Images &images, cl_command_type type, GLsync fence);
cl_int enqueue_store (const Context &context, const std::shared_ptr<GlThread> &gl, const Arguments &arguments,
    const Images &images, cl_command_type type);

}  // namespace layer
