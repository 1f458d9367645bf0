/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* References to GL contexts, and calls in their threads. */
#pragma once

#include "core/context.hpp"

#include <functional>
#include <gst/gl/gl.h>
#include <gst/gl/gstglfuncs.h>

namespace gst::cl {

using GlContextRef = Ref<GstGLContext>;
using GlDisplayRef = Ref<GstGLDisplay>;

/** Runs work in gl's thread and waits for it; calls it directly if this is that thread. Exceptions pass through. */
GST_CL_API void run_in_gl_thread (GstGLContext *gl, const std::function<void ()> &work);

/** Waits on the host until GL has executed all commands. GL thread. */
GST_CL_API void finish_gl (GstGLContext *gl);

/** Throws Failure if GL ran out of memory or lost its context since its errors were last read: its commands then had no effect, and
 *  GStreamer does not report that. Discards other errors. GL thread. */
GST_CL_API void require_sound_gl (GstGLContext *gl);

/** The failure for a GL error. call: the name of the function. what: the text for errors that have no text of their own. */
GST_CL_API Failure gl_failure (GLenum error, const std::string &call, const std::string &what);

/** Inserts a fence after all GL commands so far, and flushes; null if GL has no fences. GL thread. */
GST_CL_API GLsync insert_fence (GstGLContext *gl);

}  // namespace gst::cl
