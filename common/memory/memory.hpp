/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The C++ side of a GstClMemory: a frame's buffer, its host view, and the commands that use it. */
#pragma once

#include "memory/importer.hpp"

#include <gst/cl/gstclmemory.h>

#include <mutex>

namespace gst::cl {

/** A plane in host pages, and its place in a buffer. Sizes and strides are in bytes. */
struct HostRows {
  const void *from;
  size_t from_stride, to_offset, to_stride, row_bytes, rows;

  /** Whether one transfer command can move all rows. */
  bool is_transferable () const { return from_stride == to_stride || to_offset % to_stride + row_bytes <= to_stride; }
};

/** A frame's device buffer. Thread-safe. */
class GST_CL_API FrameBuffer {
public:
  FrameBuffer (ContextRef context, size_t size);
  /** Memory of another interface, which importer has imported. The host cannot map it through this object. */
  FrameBuffer (ContextRef context, ::cl::Buffer imported, size_t size, std::shared_ptr<const Importer> importer);
  /** Waits for the commands that use the buffer. */
  ~FrameBuffer ();

  Context &context () const { return Context::of (owner.get ()); }
  GstClContext *context_object () const { return owner.get (); }
  const ::cl::Buffer &handle () const { return buffer; }
  size_t size () const { return n_bytes; }

  /** Adds the events that a command on queue must wait for before it reads (writes) the buffer. begin_read() also starts the
   *  upload of the host's changes, and returns its bytes. */
  size_t begin_read (cl_command_queue queue, std::vector<::cl::Event> &wait);
  void begin_write (cl_command_queue queue, std::vector<::cl::Event> &wait);
  /** Names the last command that was enqueued after begin_read() or begin_write(). */
  void end_read (const Fence &fence);
  void end_write (const Fence &fence);
  /** Returns memory of another interface to it. Call it after the last command on queue that uses the buffer is enqueued, and
   *  before end_read() or end_write(). The result is the event of the release; null if there is nothing to return, or if other
   *  frames still use the memory. */
  ::cl::Event leave (cl_command_queue queue);

  /** Starts the upload of the host's changes, if there are any. Returns its bytes. */
  size_t upload ();
  /** Starts a copy from pinned pages of another memory, without the host's view. The pages must not change until the returned
   *  event is complete. is_transferable() must hold for all planes. */
  ::cl::Event upload_from (std::span<const HostRows> planes);
  /** Starts the copy to the host, for which a later map() waits. Returns its bytes; 0 if the host sees the buffer itself. */
  size_t prefetch ();

  /** The host's view of the buffer: current if flags read, and safe to change if flags write. Waits for commands. Throws
   *  Failure or cl::Error. */
  void *map (GstMapFlags flags);
  void unmap (GstMapFlags flags);
  /** Brings the device's buffer up to date for code that uses its handle. Waits for the last writer, and for the readers too if
   *  flags write. Call end_device_access() afterwards. */
  void begin_device_access (GstMapFlags flags);
  /** Whether kernels have written the buffer since the last call. */
  bool take_written ()
  {
    const std::lock_guard lock (mutex);
    return std::exchange (written, false);
  }
  void end_device_access (GstMapFlags flags);

  ::cl::Event last_write () const
  {
    const std::lock_guard lock (mutex);
    return writer.event;
  }

private:
  std::vector<::cl::Event> readers_elsewhere (cl_command_queue queue) const;
  size_t upload_locked ();
  void enter (cl_command_queue queue, std::vector<::cl::Event> &wait);
  void make_host_view ();
  void start_download ();
  void *map_all (const ::cl::Buffer &memory) const;
  void wait_for_users (bool writing);

  ContextRef owner;
  const HostMemory mode;
  const size_t n_bytes;
  void *host = nullptr;
  ::cl::Buffer buffer, staging;
  mutable std::mutex mutex;
  Fence writer;
  std::vector<Fence> readers;
  ::cl::Event downloaded;
  bool device_current = true;
  bool written = false;
  bool host_current = false;
  unsigned n_mapped = 0;
  /* for memory of another interface: its importer, the number of frames that use it, the acquire, and the ends of other
   * frames */
  std::shared_ptr<const Importer> importer;
  unsigned n_users = 0;
  Fence acquired;
  std::vector<Fence> left;
};

/** The FrameBuffer of a GstClMemory, or the FrameBuffer attached to another memory; null if there is none. */
GST_CL_API FrameBuffer *frame_buffer_of (GstMemory *memory);
/** The FrameBuffer of a buffer's first memory. */
inline FrameBuffer *
frame_buffer_of (GstBuffer *buffer)
{
  return gst_buffer_n_memory (buffer) > 0 ? frame_buffer_of (gst_buffer_peek_memory (buffer, 0)) : nullptr;
}
/** Attaches a FrameBuffer to a memory of another interface, which owns it from then on. */
GST_CL_API void attach_frame_buffer (GstMemory *memory, std::unique_ptr<FrameBuffer> import);

/** Allocates a memory for one frame. Throws std::bad_alloc or cl::Error. */
GST_CL_API GstMemory *allocate_memory (const ContextRef &context, const GstVideoInfo &info);

/** Throws the failure of the last map of a frame of context that failed, once. gst_memory_map () itself returns no reason. */
GST_CL_API void throw_unread (GstClContext *context);

/** The vfunc `start` of a pool class; parent is the address of the parent_class that G_DEFINE_TYPE makes. If one of the first
 *  allocations fails, it frees the others: GStreamer 1.22 would never free them and their device. */
template <auto parent>
gboolean
start_whole (GstBufferPool *pool)
{
  GstBufferPoolClass *klass = GST_BUFFER_POOL_CLASS (*parent);
  if (klass->start (pool))
    return TRUE;
  klass->stop (pool);
  return FALSE;
}

}  // namespace gst::cl
