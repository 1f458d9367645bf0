/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path of frames in GL textures to an OpenCL device. Needs no GL header. */
#pragma once

#include "memory/frame.hpp"

#include <functional>

namespace gst::cl {

/** cl_khr_gl_sharing, external memory, or copies through the host. */
enum class GlPath { shared, external, staged };

/** The value of `path` in `stats`: "gl-shared", "gl-external" or "gl-staged". */
GST_CL_API const char *name_of (GlPath path);

/** Images and copies of textures, for `stats`. */
struct GlCounts {
  /** Textures that had an OpenCL image already, and textures that got a new one. */
  guint64 image_hits = 0, image_misses = 0;
  /** Textures of other elements that were copied on the GPU into textures that OpenCL can reach. */
  guint64 texture_copies = 0;
};

/** Gives the textures of one stream to OpenCL as frames. For one streaming thread. */
class GST_CL_API GlTextures {
public:
  virtual ~GlTextures () = default;

  /** Whether every plane of the buffer is a texture that this object can read (write). Any thread. */
  virtual bool reaches (GstBuffer *buffer, bool writes) const = 0;
  /** Runs work in the GL thread and waits. All functions below must be called there. Exceptions pass through. */
  virtual void visit (const std::function<void ()> &work) = 0;

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

  GlCounts counts;
};

/** Passes the frames of one stream between a GL context and a CL context. */
struct GlLink {
  GlPath path;
  /** The CL context in which kernels must run. */
  ContextRef context;
  /** Null if path is staged: frames are then mapped on the host. */
  std::unique_ptr<GlTextures> textures;
  /** Makes an active pool of buffers in GL memory. Throws Failure. */
  std::function<PoolRef (GstCaps *caps, guint min_buffers)> create_pool;
  /** Call it after frames were mapped on the host: throws Failure if GL could not copy them. */
  std::function<void ()> require_moved;
};

/** The links of one stream between OpenCL and other interfaces; false if there are none. */
struct Links {
  std::shared_ptr<GlLink> gl;
  /** One link for each other kind of memory. */
  MemoryLinks others;

  explicit operator bool () const { return gl || !others.empty (); }
  /** The link for a kind of memory, or null. */
  MemoryLink *find (MemoryKind kind) const
  {
    for (const auto &each : others)
      if (each->kind == kind)
        return each.get ();
    return nullptr;
  }
};

}  // namespace gst::cl
