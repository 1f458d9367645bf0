/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GL context that GStreamer's environment variables ask for. */
#pragma once

#include "core/context.hpp"

#include <gst/gl/gl.h>

struct GlContext {
  gst::cl::Ref<GstGLDisplay, gst_object_ref, gst_object_unref> display;
  gst::cl::Ref<GstGLContext, gst_object_ref, gst_object_unref> context;
};

/** Throws std::runtime_error that says why there is none. */
GlContext make_gl_context ();
