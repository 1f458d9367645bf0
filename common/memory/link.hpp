/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path of frames from memory of another interface, except GL's textures, to an OpenCL device. */
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

/** Imports and copies of a link, for `stats`. */
struct LinkCounts {
  /** Memories that were imported into OpenCL. */
  guint64 imports = 0;
  /** Frames that were copied on the device into memory that OpenCL can reach. */
  guint64 copies = 0;
};

/** Passes the frames of one stream between an interface and a CL context. For one streaming thread. */
class MemoryLink {
public:
  explicit MemoryLink (MemoryKind kind) : kind (kind) {}
  virtual ~MemoryLink () = default;

  /** The value of `path` in `stats`. */
  virtual const char *path () const = 0;
  /** A buffer with the same frame in one memory that has a FrameBuffer of the context: the buffer itself, or a copy that was
   *  made on the device. Waits for the interface's work on the frame. Null if the host has to copy the frame. Throws Failure or
   *  cl::Error. */
  virtual BufferRef reach (GstBuffer *buffer) = 0;
  /** The same for a buffer of the link's pool that kernels will write. Never a copy. */
  virtual BufferRef reach_result (GstBuffer *buffer) { return BufferRef::retain (buffer); }
  /** An active pool of buffers in this kind of memory. Kernels write buffers that reach_result() gives a FrameBuffer of the
   *  context; the host copies results into others. Throws Failure. */
  virtual PoolRef create_pool (GstCaps *caps, guint min_buffers) = 0;
  /** Whether mapping a buffer of the pool waits for the kernels that write it. If not, the element waits before it pushes the
   *  buffer. */
  virtual bool is_awaited_by_map () const { return false; }

  const MemoryKind kind;
  LinkCounts counts;
};

using MemoryLinks = std::vector<std::shared_ptr<MemoryLink>>;

}  // namespace gst::cl
