/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common part of shared and external textures: the planes of a GL buffer as images of a frame. */
#pragma once

#include "gl/link.hpp"
#include "gl/thread.hpp"

#include <gst/gl/gstglsyncmeta.h>

namespace gst::cl {

/** The sized form of a format, such as GST_GL_RGBA8 for GST_GL_RGBA. */
GstGLFormat sized_format (GstGLContext *gl, GstGLFormat format);

/** Turns buffers of GL memory into frames of images; a subclass makes the images. Without a subclass, frames are staged. */
class TextureFrames : public GlLink {
public:
  TextureFrames (GlPath way, ContextRef context, GlContextRef gl, const GstVideoInfo &info);

  PoolRef create_pool (GstCaps *caps, guint min_buffers) override;
  void require_moved () const override;

  bool reaches (GstBuffer *buffer, bool writes) const override;
  void visit (const std::function<void ()> &work) const override { run_in_gl_thread (gl.get (), work); }
  Frame read (GstBuffer *buffer) override;
  Frame write (GstBuffer *buffer) override { return view (buffer, GST_MAP_WRITE); }
  void acquire (std::span<Frame *const>, cl_command_queue, std::vector<::cl::Event> &) override {}
  ::cl::Event release (std::span<Frame *const>, cl_command_queue) override { return {}; }

protected:
  /** The image of a texture. The contents must be current, unless the texture will be written: they may then be lost. GL
   *  thread. */
  virtual ::cl::Memory image_of (GstGLMemory *, bool /* writes */) { return {}; }
  /** Whether acquire() makes the host wait for GL; otherwise the device waits. */
  virtual bool waits_on_host () const { return true; }

  const GlContextRef gl;

private:
  Frame view (GstBuffer *buffer, GstMapFlags access);

  const GstVideoInfo info;
  const Format &format;
};

/** Textures in memory that Vulkan exports. Textures of other elements are copied on the GPU first. Throws Failure. Only in
 *  builds with Vulkan. */
std::shared_ptr<GlLink> external_textures (ContextRef context, GlContextRef gl, const GstVideoInfo &info);

}  // namespace gst::cl
