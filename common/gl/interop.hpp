/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which way frames pass between a GL context and an OpenCL device: found by trying, once per pair and format. */
#pragma once

#include "core/verdict.hpp"
#include "gl/link.hpp"
#include "gl/thread.hpp"
#include "interop/element.hpp"

namespace gst::cl {

/** Whether frames of the format pass between gl and the device by cl_khr_gl_sharing, by memory that Vulkan exported, or
 *  copied through the host, proved by a round trip of a small frame, once per pair and format. Not in the GL thread.
 *  Never throws. */
GST_CL_API Verdict probe_sharing (const Device &device, GstGLContext *gl, GstVideoFormat format);
GST_CL_API Verdict probe_external (const Device &device, GstGLContext *gl, GstVideoFormat format);
GST_CL_API Verdict probe_staged (const Device &device, GstGLContext *gl, GstVideoFormat format);

/** The trial behind every verdict: fills a frame by GL, inverts it by OpenCL into another, reads that by GL and compares every
 *  byte; then times it. info: a small frame. Throws. */
Verdict run_gl_trial (GlLink &link, const GstVideoInfo &info);

/** How frames of info between gl and OpenCL are to pass, and why in no better way (empty where there is none). */
struct GlChoice {
  GlPath path;
  std::string reason;
};

/** Throws Failure (RESOURCE, NOT_FOUND) where `wanted` is impossible. Not in the GL thread. */
GST_CL_API GlChoice choose_gl_path (const ContextRef &context, GstGLContext *gl, const GstVideoInfo &info, Interop wanted);

/** Ways that failed between gl and OpenCL are tried again when they are next asked for: memory may have been short. */
GST_CL_API void forget_refusals (GstGLContext *gl);

/** What carries frames that way. The link's context is `context` where that will do. Throws Failure. */
GST_CL_API GlLink make_gl_link (GlPath path, const ContextRef &context, GlContextRef gl, const GstVideoInfo &info);

/** A pool for an element upstream to write into, so that this path copies nothing; inactive, configured by the caller. */
GST_CL_API PoolRef propose_gl_pool (GlPath path, const ContextRef &context, GstGLContext *gl);

}  // namespace gst::cl
