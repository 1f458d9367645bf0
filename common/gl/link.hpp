/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path of frames in GL textures to an OpenCL device. Needs no GL header. */
#pragma once

#include "memory/frame.hpp"

#include <functional>

namespace gst::cl {

/** cl_khr_gl_sharing, external memory, or copies through the host. */
enum class GlPath { shared, external, staged };

/** The value of `path` in `stats`: "gl-shared", "gl-external" or "gl-staged". */
inline const char *
name_of (GlPath path)
{
  return path == GlPath::shared ? "gl-shared" : path == GlPath::external ? "gl-external" : "gl-staged";
}

/** Gives the textures of one stream to OpenCL as frames. If its path is staged, frames are mapped on the host instead. For one
 *  streaming thread. */
class GST_CL_API GlLink : public MemoryLink {
public:
  GlLink (GlPath way_, ContextRef context_) : MemoryLink (MemoryKind::gl, std::move (context_)), way (way_) {}

  const char *path () const override { return name_of (way); }
  /** Frames are images, not memory with a FrameBuffer. */
  BufferRef reach (GstBuffer *) override { return {}; }
  bool has_textures () const { return way != GlPath::staged; }
  /** Call it after frames were mapped on the host: throws Failure if GL could not copy them. */
  virtual void require_moved () const = 0;

  /** Whether every plane of the buffer is a texture that this object can read (write). Any thread. */
  virtual bool reaches (GstBuffer *buffer, bool writes) const = 0;
  /** Runs work in the GL thread and waits. All functions below must be called there. Exceptions pass through. */
  virtual void visit (const std::function<void ()> &work) const = 0;

  /** A frame of images for kernels that read (write) a buffer for which reaches() holds. Throws Failure or cl::Error. */
  virtual Frame read (GstBuffer *buffer) = 0;
  virtual Frame write (GstBuffer *buffer) = 0;
  /** Gives the frames' images to OpenCL. Commands on queue that wait for `wait` run after GL's commands on the textures. Call
   *  release() afterwards, also after a failure. Throws Failure or cl::Error. */
  virtual void acquire (std::span<Frame *const> frames, cl_command_queue queue, std::vector<::cl::Event> &wait) = 0;
  /** Gives the images back. GL may use the textures when the returned event is complete. Throws Failure or cl::Error. */
  virtual ::cl::Event release (std::span<Frame *const> frames, cl_command_queue queue) = 0;

  /** Names the buffer of the next write(), so that it is acquired together with the frames that are read. The caller keeps a
   *  reference until then. */
  virtual void expect (GstBuffer *) {}

  const GlPath way;
};

}  // namespace gst::cl
