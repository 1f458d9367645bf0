/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Acquire and release, whatever the images were made from. */
#pragma once

#include "objects.hpp"

namespace layer {

/* Those of an acquire or release command. */
struct Arguments {
  cl_command_queue queue;
  cl_uint n_objects;
  const cl_mem *objects;
  cl_uint n_events;
  const cl_event *events;
  cl_event *event;
};

using Images = std::vector<std::shared_ptr<Image>>;

/* Null for a queue of a context that the layer does not know. */
std::shared_ptr<Context> context_of (cl_command_queue queue);

/* Whether the GL context that is current on the calling thread, if any, has commands that are not complete. */
bool has_pending_gl_commands ();

/* On the GL thread: reports a sync that never comes. */
void wait_for_sync (const Gl &gl, GLsync sync);

/* Takes textures in the ledger for an acquire command, or gives them back for a release command. */
cl_int claim (const Images &images);
cl_int give_back (const Images &images);

/* The commands themselves. The fence is one of GL commands to wait for, or null; it is deleted. */
cl_int enqueue_load (const Context &context, const std::shared_ptr<GlThread> &gl, const Arguments &arguments,
    const Images &images, cl_command_type type, GLsync fence);
cl_int enqueue_store (const Context &context, const std::shared_ptr<GlThread> &gl, const Arguments &arguments,
    const Images &images, cl_command_type type);

}  // namespace layer
