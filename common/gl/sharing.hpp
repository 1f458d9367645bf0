/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl_khr_gl_sharing: CL contexts that share a GL context's objects, and images of its textures. */
#pragma once

#include "gl/textures.hpp"

namespace gst::cl {

/** Why the device cannot be tested with gl, for a user; empty if it can. Makes no call that could crash a driver without the
 *  extension. */
std::string refuses_sharing (const Device &device, GstGLContext *gl);

/** The process's context on the device that shares objects with gl's share group; creates it if there is none. Throws
 *  Failure. */
ContextRef bound_context (const Device &device, GstGLContext *gl);

/** Whether this context shares objects with gl: bound_context() or an application created it for gl's share group. */
bool is_bound_to (GstClContext *context, GstGLContext *gl);

/** Makes the next bound_context() create a new context, because the device or the GL context of this one was lost. */
void forget_bound_context (GstClContext *context);

/** Textures as images of cl_khr_gl_sharing. is_bound_to (context, gl) must hold. */
std::shared_ptr<GlLink> share_textures (ContextRef context, GlContextRef gl, const GstVideoInfo &info);

}  // namespace gst::cl
