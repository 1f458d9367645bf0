/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How frames in GL textures reach an OpenCL device, whatever the way. No GL header is needed to use this. */
#pragma once

#include "memory/frame.hpp"

#include <functional>

namespace gst::cl {

/** The ways, as they are taken. */
enum class GlPath { shared, external, staged };

/** "gl-shared", "gl-external" or "gl-staged", as `stats` says. */
GST_CL_API const char *name_of (GlPath path);

/** What happened to textures, for `stats`. */
struct GlCounts {
  /** Textures that an OpenCL image existed for already, and those that one was made for. */
  guint64 image_hits = 0, image_misses = 0;
  /** Foreign textures that were copied, on the GPU, into ones that OpenCL can reach. */
  guint64 texture_copies = 0;
};

/** Textures as frames, for one stream. One streaming thread uses it. */
class GST_CL_API GlTextures {
public:
  virtual ~GlTextures () = default;

  /** Whether every plane of the buffer is a texture that can be read, or written, from here. Any thread. */
  virtual bool reaches (GstBuffer *buffer, bool writes) const = 0;
  /** Runs work in the GL thread, where everything below is to be called. Exceptions pass through. */
  virtual void visit (const std::function<void ()> &work) = 0;

  /** A frame of images for kernels that read, or write, a buffer that is reached. Throws. */
  virtual Frame read (GstBuffer *buffer) = 0;
  virtual Frame write (GstBuffer *buffer) = 0;
  /** Gives the frames' images to OpenCL: what queue does from here on, after waiting for `wait`, comes after what GL did
   *  to them. Whatever was acquired is to be released, also after a failure. Throws. */
  virtual void acquire (std::span<Frame *const> frames, cl_command_queue queue, std::vector<::cl::Event> &wait) = 0;
  /** Gives them back: once the event is complete GL may use them. Throws. */
  virtual ::cl::Event release (std::span<Frame *const> frames, cl_command_queue queue) = 0;

  /** In the GL thread: the buffer that write() will be called for next, so that it can be acquired with what others
   *  read. The caller keeps it until then. */
  virtual void expect (GstBuffer *) {}

  GlCounts counts;
};

/** A GL context and a CL context that exchange the frames of one stream. */
struct GlLink {
  GlPath path;
  /** The CL context that kernels must run in. */
  ContextRef context;
  /** Null where path is staged: then frames are mapped on the host like any others. */
  std::unique_ptr<GlTextures> textures;
  /** An active pool of buffers in GL memory with features. Throws Failure. */
  std::function<PoolRef (GstCaps *caps, guint min_buffers)> create_pool;
  /** After frames were mapped on the host: throws Failure where GL could not move them. */
  std::function<void ()> require_moved;
};

/** What carries the frames of one stream between OpenCL and memory of others; false where nothing has to. */
struct Links {
  std::shared_ptr<GlLink> gl;
  /** One for each other kind of memory. */
  MemoryLinks others;

  explicit operator bool () const { return gl || !others.empty (); }
  /** That of a kind, or null. */
  MemoryLink *find (MemoryKind kind) const
  {
    for (const auto &each : others)
      if (each->kind == kind)
        return each.get ();
    return nullptr;
  }
};

}  // namespace gst::cl
