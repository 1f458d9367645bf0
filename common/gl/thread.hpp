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

/** In the GL thread: a fence behind all that was asked of GL, flushed; null where GL has none. */
GST_CL_API GLsync insert_fence (GstGLContext *gl);

}  // namespace gst::cl
