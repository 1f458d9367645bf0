/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl_khr_gl_sharing: CL contexts that are bound to a GL context, and images of its textures. */
#pragma once

#include "gl/textures.hpp"

namespace gst::cl {

/** Why the device cannot even be tried with gl, in words for a user; empty where it can. Asks the driver nothing that a
 *  driver without the extension could crash on. */
std::string refuses_sharing (const Device &device, GstGLContext *gl);

/** The context of the device that shares objects with gl's share group: one per process as long as somebody keeps it.
 *  Throws Failure. */
ContextRef bound_context (const Device &device, GstGLContext *gl);

/** Whether this context can share objects with gl: it was bound to its share group, by us or by an application. */
bool is_bound_to (GstClContext *context, GstGLContext *gl);

/** The next bound_context() makes a new one: this one's device or GL context was lost. */
void forget_bound_context (GstClContext *context);

/** Textures through images of cl_khr_gl_sharing; context is bound to gl. */
std::unique_ptr<GlTextures> share_textures (ContextRef context, GlContextRef gl, const GstVideoInfo &info);

}  // namespace gst::cl
