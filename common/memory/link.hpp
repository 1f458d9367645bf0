/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How frames in memory that another interface allocated (not GL's textures) reach an OpenCL device. */
#pragma once

#include "memory/memory.hpp"

namespace gst::cl {

/** What the memory of a frame can be, as caps features name it. */
enum class MemoryKind { opencl, gl, cuda, dmabuf, system };

/** Whether another interface has it. */
inline bool
is_foreign (MemoryKind kind)
{
  return kind != MemoryKind::opencl && kind != MemoryKind::system;
}

inline void *
ref_mini_object (void *object)
{
  return gst_mini_object_ref (static_cast<GstMiniObject *> (object));
}

inline void
unref_mini_object (void *object)
{
  gst_mini_object_unref (static_cast<GstMiniObject *> (object));
}

using BufferRef = Ref<GstBuffer, ref_mini_object, unref_mini_object>;
using PoolRef = Ref<GstBufferPool, gst_object_ref, gst_object_unref>;

/** What happened to frames of such a kind, for `stats`. */
struct LinkCounts {
  /** Memories that OpenCL met for the first time. */
  guint64 imports = 0;
  /** Frames that were copied, on the device, into memory that OpenCL can reach. */
  guint64 copies = 0;
};

/** An interface and a CL context that exchange the frames of one stream. One streaming thread uses it. */
class MemoryLink {
public:
  explicit MemoryLink (MemoryKind kind) : kind (kind) {}
  virtual ~MemoryLink () = default;

  /** How frames pass, as `stats` says. */
  virtual const char *path () const = 0;
  /** A buffer with the same frame whose one memory has a FrameBuffer of the context: the buffer itself, or a copy that was made
   *  on the device. What the interface did to the frame is done by then. Null where the host has to copy it. Throws. */
  virtual BufferRef reach (GstBuffer *buffer) = 0;
  /** The same for a buffer of the pool that kernels are to write: never a copy. */
  virtual BufferRef reach_result (GstBuffer *buffer) { return BufferRef::retain (buffer); }
  /** An active pool of buffers of this kind: kernels write those that are reached and have a FrameBuffer of the context; into others
   *  the host copies results. Throws Failure. */
  virtual PoolRef create_pool (GstCaps *caps, guint min_buffers) = 0;
  /** Whether who maps a buffer of the pool waits for the kernels that write it; else they are waited for before it goes on. */
  virtual bool is_awaited_by_map () const { return false; }

  const MemoryKind kind;
  LinkCounts counts;
};

using MemoryLinks = std::vector<std::shared_ptr<MemoryLink>>;

}  // namespace gst::cl
