/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path of frames between memory of another interface and an OpenCL device. */
#pragma once

#include "memory/memory.hpp"

namespace gst::cl {

/** Kinds of memory, as caps features name them. */
enum class MemoryKind { opencl, gl, cuda, dmabuf, system };

/** Whether the memory belongs to another interface. */
inline bool
is_foreign (MemoryKind kind)
{
  return kind != MemoryKind::opencl && kind != MemoryKind::system;
}

using BufferRef = Ref<GstBuffer>;
using PoolRef = Ref<GstBufferPool>;

/** Imports and copies of links, for `stats`. */
struct LinkCounts {
  /** Memories that were imported into OpenCL. */
  guint64 imports = 0;
  /** Frames that were copied on the device into memory that OpenCL can reach. */
  guint64 copies = 0;
  /** Textures that had an OpenCL image already, and textures that got a new one. */
  guint64 image_hits = 0, image_misses = 0;
  /** Textures of other elements that were copied on the GPU into textures that OpenCL can reach. */
  guint64 texture_copies = 0;

  LinkCounts &operator+= (const LinkCounts &more)
  {
    for (guint64 LinkCounts::*each : {&LinkCounts::imports, &LinkCounts::copies, &LinkCounts::image_hits,
             &LinkCounts::image_misses, &LinkCounts::texture_copies})
      this->*each += more.*each;
    return *this;
  }
};

/** Passes the frames of one stream between an interface and a CL context. For one streaming thread. */
class MemoryLink {
public:
  MemoryLink (MemoryKind kind_, ContextRef context_) : kind (kind_), context (std::move (context_)) {}
  virtual ~MemoryLink () = default;

  /** The value of `path` in `stats`. */
  virtual const char *path () const = 0;
  /** A buffer with the same frame in one memory that has a FrameBuffer of the context: the buffer itself, or a copy that was
   *  made on the device. Waits for the interface's work on the frame. Null if the host has to copy the frame. Throws Failure or
   *  cl::Error. */
  virtual BufferRef reach (GstBuffer *buffer) = 0;
  /** The same for a buffer of the link's pool that kernels will write. Never a copy. */
  virtual BufferRef reach_result (GstBuffer *buffer) { return BufferRef::retain (buffer); }
  /** An active pool of buffers in this kind of memory. Kernels write buffers for which reach_result() gives a FrameBuffer of the
   *  context; the host copies results into other buffers. Throws Failure. */
  virtual PoolRef create_pool (GstCaps *caps, guint min_buffers) = 0;
  /** Whether mapping a buffer of the pool waits for the kernels that write it. If not, the element waits before it pushes the
   *  buffer. */
  virtual bool is_awaited_by_map () const { return false; }

  const MemoryKind kind;
  /** The CL context in which kernels must run. */
  const ContextRef context;
  LinkCounts counts;
};

/** The links of one stream, one for each kind of memory. */
using MemoryLinks = std::vector<std::shared_ptr<MemoryLink>>;

/** The link for a kind of memory, or null. */
inline MemoryLink *
find_link (const MemoryLinks &links, MemoryKind kind)
{
  for (const auto &each : links)
    if (each->kind == kind)
      return each.get ();
  return nullptr;
}

}  // namespace gst::cl
