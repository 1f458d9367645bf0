/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out by test frames how frames pass between a GL context and an OpenCL device, once for each pair and format. */
#pragma once

#include "core/verdict.hpp"
#include "gl/link.hpp"
#include "gl/thread.hpp"
#include "interop/element.hpp"

namespace gst::cl {

/** Whether frames of the format pass between gl and the device: by cl_khr_gl_sharing, by memory that Vulkan exports, or by
 *  copies through the host. A small frame makes the round trip, once for each pair and format. Not in the GL thread. Never
 *  throws. */
GST_CL_API Verdict probe_gl (GlPath path, const Device &device, GstGLContext *gl, GstVideoFormat format);

/** The path that frames take, and why they do not take a better one; the reason is empty if there is no better one. */
struct GlChoice {
  GlPath path;
  std::string reason;
};

/** Chooses the path for frames of info between gl and the context. Throws Failure (RESOURCE, NOT_FOUND) if `wanted` is
 *  impossible. Not in the GL thread. */
GST_CL_API GlChoice choose_gl_path (const ContextRef &context, GstGLContext *gl, const GstVideoInfo &info, Interop wanted);

/** Forgets which paths failed with gl, so that the next choice tests them again: memory may have been short. */
GST_CL_API void forget_refusals (GstGLContext *gl);

/** Creates a link for the path. It uses `context` if the path allows. Throws Failure. */
GST_CL_API std::shared_ptr<GlLink> make_gl_link (
    GlPath path, const ContextRef &context, GlContextRef gl, const GstVideoInfo &info);

/** A pool to propose upstream, whose buffers the path uses without a copy. It is inactive; the caller configures it. */
GST_CL_API PoolRef propose_gl_pool (GlPath path, const ContextRef &context, GstGLContext *gl);

}  // namespace gst::cl
