/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a GstClMemory: a frame's buffer, its host view and what still runs on it. */
#pragma once

#include "memory/importer.hpp"

#include <gst/cl/gstclmemory.h>

#include <mutex>

namespace gst::cl {

/** A plane in host pages, and where it belongs in a buffer. Sizes and strides in bytes. */
struct HostRows {
  const void *from;
  size_t from_stride, to_offset, to_stride, row_bytes, rows;

  /** Whether one transfer command moves all of it. */
  bool is_transferable () const { return from_stride == to_stride || to_offset % to_stride + row_bytes <= to_stride; }
};

/** A frame's device buffer. Thread-safe. */
class GST_CL_API FrameBuffer {
public:
  FrameBuffer (ContextRef context, size_t size);
  /** Memory of another interface, which importer has taken. The host does not see it through here. */
  FrameBuffer (ContextRef context, ::cl::Buffer imported, size_t size, std::shared_ptr<const Importer> importer);
  /** Waits for nothing: OpenCL keeps what queued commands use; host pages wait for their commands. */
  ~FrameBuffer ();

  Context &context () const { return Context::of (owner.get ()); }
  GstClContext *context_object () const { return owner.get (); }
  const ::cl::Buffer &handle () const { return buffer; }
  size_t size () const { return n_bytes; }

  /** What a command on queue that reads (writes) the buffer must wait for; uploads what the host wrote before. Fills
   *  the wait list and returns the bytes that cross to the device. */
  size_t begin_read (cl_command_queue queue, std::vector<::cl::Event> &wait);
  void begin_write (cl_command_queue queue, std::vector<::cl::Event> &wait);
  /** The command that was enqueued after begin_read() or begin_write(). */
  void end_read (const Fence &fence);
  void end_write (const Fence &fence);
  /** Behind the last command on queue that was enqueued after begin_read() or begin_write(), and before end_read() or end_write():
   *  gives memory of another interface back, and returns the command that does; a null event where there is nothing to give
   *  back, or others still use it. */
  ::cl::Event leave (cl_command_queue queue);

  /** Starts the copy of what the host wrote to the device, where there is any. Returns its bytes. */
  size_t upload ();
  /** Starts the copy of pages that the device fetches by itself, past the host's view. Returns its end, until which the
   *  pages must stay as they are. All rows are transferable. */
  ::cl::Event upload_from (std::span<const HostRows> planes);
  /** Starts the copy to the host that a later map() waits for. Returns its bytes, 0 where the host sees the buffer. */
  size_t prefetch ();

  /** The host's view, up to date where flags read, free to be changed where they write. Waits. Throws. */
  void *map (GstMapFlags flags);
  void unmap (GstMapFlags flags);
  /** Brings the device's buffer up to date for somebody who takes its handle; waits for the writer, and for the readers
   *  too where flags write. end_device_access() follows when that somebody is done. */
  void begin_device_access (GstMapFlags flags);
  /** Whether kernels have written the buffer since this was asked last, or ever. */
  bool take_written ();
  void end_device_access (GstMapFlags flags);

  ::cl::Event last_write () const;

private:
  std::vector<::cl::Event> readers_elsewhere (cl_command_queue queue) const;
  size_t upload_locked ();
  void enter (cl_command_queue queue, std::vector<::cl::Event> &wait);
  void make_host_view ();
  void start_download ();
  void wait_within (const ::cl::Event &event, unsigned patience) const;
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
  /* of memory of another interface: how many frames use it, what gave it to OpenCL, and where others of these frames ended */
  std::shared_ptr<const Importer> importer;
  unsigned n_users = 0;
  Fence acquired;
  std::vector<Fence> left;
};

/** The FrameBuffer of a memory: a GstClMemory's, or what was attached to it; null where there is none. */
GST_CL_API FrameBuffer *frame_buffer_of (GstMemory *memory);
/** Lets a memory of another interface be known by its import, which dies before it. */
GST_CL_API void attach_frame_buffer (GstMemory *memory, std::unique_ptr<FrameBuffer> import);

/** A memory for one frame. Throws. */
GST_CL_API GstMemory *allocate_memory (const ContextRef &context, const GstVideoInfo &info);

/** Throws the failure for which a frame of context could not be mapped, once: who maps it learns no reason, and nobody else tells. */
GST_CL_API void throw_unread (GstClContext *context);

/** The `start` of a pool class; parent is the address of the parent_class that G_DEFINE_TYPE makes. All frames that the pool is to
 *  begin with, or none: GStreamer (1.22) keeps those before one that failed, and with them their device, for ever. */
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
