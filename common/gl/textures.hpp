/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What both ways of reaching textures have in common: planes of a GL buffer as images of a frame. */
#pragma once

#include "gl/link.hpp"
#include "gl/thread.hpp"

#include <gst/gl/gstglsyncmeta.h>

namespace gst::cl {

/** GST_GL_RGBA8 for GST_GL_RGBA, and the like. */
GstGLFormat sized_format (GstGLContext *gl, GstGLFormat format);

class TextureFrames : public GlTextures {
public:
  TextureFrames (ContextRef context, GlContextRef gl, const GstVideoInfo &info);

  bool reaches (GstBuffer *buffer, bool writes) const override;
  void visit (const std::function<void ()> &work) override { run_in_gl_thread (gl.get (), work); }
  Frame read (GstBuffer *buffer) override;
  Frame write (GstBuffer *buffer) override { return view (buffer, GST_MAP_WRITE); }

protected:
  /** The image of a texture whose contents are up to date, or, where it is to be written, may be lost. In the GL
   *  thread. */
  virtual ::cl::Memory image_of (GstGLMemory *memory, bool writes) = 0;
  /** Whether acquire() lets the host wait for GL, rather than the device. */
  virtual bool waits_on_host () const = 0;

  const ContextRef context;
  const GlContextRef gl;

private:
  Frame view (GstBuffer *buffer, GstMapFlags access);

  const GstVideoInfo info;
  const Format &format;
};

/** Textures through memory that Vulkan exported; those of others are copied on the GPU first. Throws Failure. For builds with
 *  Vulkan. */
std::unique_ptr<GlTextures> external_textures (ContextRef context, GlContextRef gl, const GstVideoInfo &info);

}  // namespace gst::cl
