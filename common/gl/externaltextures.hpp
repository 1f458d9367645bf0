/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gl/external.hpp"
#include "gl/textures.hpp"

namespace gst::cl {

/** The one ExternalMemory of a CL context and a GL context, as long as somebody keeps it. Throws Failure (RESOURCE,
 *  NOT_FOUND) that names what is missing. */
std::shared_ptr<ExternalMemory> find_external_memory (const ContextRef &context, GstGLContext *gl);

/** Textures through memory that Vulkan exported; those of others are copied on the GPU first. Throws Failure. */
std::unique_ptr<GlTextures> external_textures (ContextRef context, GlContextRef gl, const GstVideoInfo &info);

}  // namespace gst::cl
