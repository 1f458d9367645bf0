/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GL contexts as owned references, and work in their threads. */
#pragma once

#include "core/context.hpp"

#include <functional>
#include <gst/gl/gl.h>
#include <gst/gl/gstglfuncs.h>

namespace gst::cl {

using GlContextRef = Ref<GstGLContext, gst_object_ref, gst_object_unref>;
using GlDisplayRef = Ref<GstGLDisplay, gst_object_ref, gst_object_unref>;

/** Runs work in the thread of gl and waits for it; inline where this is that thread. Exceptions pass through. */
GST_CL_API void run_in_gl_thread (GstGLContext *gl, const std::function<void ()> &work);

/** In the GL thread: waits on the host until GL has done all that was asked of it. */
GST_CL_API void finish_gl (GstGLContext *gl);

/** In the GL thread: throws Failure where GL found no memory or lost its context since somebody last asked for its errors: then what
 *  it was to do is not done, and GStreamer does not tell. Forgets other errors. */
GST_CL_API void require_sound_gl (GstGLContext *gl);

/** The failure for an error of GL's: call names what failed, what is said where nothing better is known. */
GST_CL_API Failure gl_failure (GLenum error, const std::string &call, const std::string &what);

/** In the GL thread: a fence behind all that was asked of GL, flushed; null where GL has none. */
GST_CL_API GLsync insert_fence (GstGLContext *gl);

}  // namespace gst::cl
