/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The planes of a GstBuffer as kernel arguments, whatever holds them. */
#pragma once

#include "memory/link.hpp"
#include "memory/placement.hpp"

#include <span>

namespace gst::cl {

/** A plane on the device. Width and height in pixels of the plane. */
struct PlaneView {
  /** A buffer or an image (a GL texture). */
  ::cl::Memory memory;
  /** Of a buffer, in samples; of an image, whose pixels are those of the plane, the first row and the step in rows. */
  int offset, stride;
  int width, height;
  const PlaneLayout *layout;
  bool image = false;
  /** An image that has each 16-bit sample in two 8-bit channels, the low byte first. */
  bool split = false;
};

/** How many buffers a pool of create_pool() has allocated so far. */
GST_CL_API guint64 pool_allocations (GstBufferPool *pool);
/** The element that posts an error where the pool, in somebody else's hands, has no memory for a frame. */
GST_CL_API void set_pool_owner (GstBufferPool *pool, GstElement *owner);
/** Why the pool's last frame could not be made, once; nothing where it is a pool of another kind, or all is well. */
GST_CL_API std::optional<Failure> take_pool_failure (GstBufferPool *pool);

/** What happened to frames on their way, for `stats`. */
struct FrameCounts {
  guint64 uploaded = 0;
  guint64 downloaded = 0;
  /** cl_mem objects that were created. */
  guint64 allocations = 0;
};

/** One frame for the time of its commands. */
class GST_CL_API Frame {
  struct HostMapping;
  /** Whose reaper keeps a mapping of host pages, or a buffer of textures. */
  ContextRef reaper_context;
  /** Outlives the planes: images are released before their textures are deleted. */
  BufferRef kept;

public:
  Frame (Frame &&) noexcept;
  ~Frame ();

  /** A frame whose planes the caller fills in with images of the buffer's textures, which it keeps. */
  static Frame of_images (const ContextRef &context, GstBuffer *buffer);

  /** How the frame reaches the device: "opencl", "host-shared", "upload", "images" or a MemoryLink's. */
  const char *path;
  std::array<PlaneView, most_planes> planes;
  int n_planes = 0;
  /** What the first command on the frame has to wait for. */
  std::vector<::cl::Event> wait;

  GstBuffer *buffer () const { return kept.get (); }

  /** Behind all commands on the frame, and before complete_read() or complete_write(): gives memory of another interface back;
   *  a null event where nothing had to be. */
  ::cl::Event leave (cl_command_queue queue) { return frame_buffer ? frame_buffer->leave (queue) : ::cl::Event (); }
  /** The last command that reads the frame: keeps what it needs until then. */
  void complete_read (const Fence &fence);
  /** The last command that writes the frame. */
  void complete_write (const Fence &fence);
  /** Starts the copy to the host, for a frame that somebody will map. Returns its bytes. */
  size_t prefetch () { return frame_buffer ? frame_buffer->prefetch () : 0; }

private:
  friend class FrameMapper;
  Frame ();
  FrameBuffer *frame_buffer = nullptr;
  std::unique_ptr<HostMapping> mapping;
};

/** Turns the buffers of one stream into frames on one device. Not thread-safe; one streaming thread uses it. */
class GST_CL_API FrameMapper {
public:
  /** keeps_pages: whether the stream's memory has the same pages each time that it is mapped, as GL's has not. links: what
   *  reaches memory of other interfaces. */
  FrameMapper (ContextRef context, const GstVideoInfo &info, bool keeps_pages = true, MemoryLinks links = {});
  ~FrameMapper ();

  /** A frame for commands on queue that read buffer. System memory is used in place where the device computes in host
   *  pages. Elsewhere the device fetches what comes again, as from a pool, and the rest is copied through pinned pages.
   *  Throws. */
  Frame read (GstBuffer *buffer, cl_command_queue queue);
  /** Lets go of the copies that read() made, but for those of frames that will be read again. */
  void forget_copies (std::span<GstBuffer *const> still_read);
  /** A frame for commands on queue that write buffer, which is_on_device(). Throws. */
  Frame write (GstBuffer *buffer, cl_command_queue queue);
  /** Whether buffer holds one memory with a FrameBuffer of this context, where kernels can take every plane as it is. */
  bool is_on_device (GstBuffer *buffer) const;

  /** buffer where it holds a GstClMemory of this context, else a copy that does, without its metadata. Throws. */
  BufferRef on_device (GstBuffer *buffer);

  /** cl_mem objects made so far, those of the pool for uploads included. */
  guint64 allocations () const { return counts.allocations + (pool ? pool_allocations (pool.get ()) : 0); }

  FrameCounts counts;
  const GstVideoInfo info;
  const Format &format;
  /** What reaches memory of other interfaces. */
  const MemoryLinks links;

private:
  PlaneExtent extent (int plane) const;
  bool is_readable (GstBuffer *buffer, size_t size) const;
  bool try_link (Frame &frame, GstBuffer *buffer);
  bool try_wrap (Frame &frame, GstBuffer *buffer);
  void use_frame_buffer (Frame &frame, GstBuffer *buffer, FrameBuffer *memory);
  std::vector<HostRows> transfers (const GstVideoFrame &video, GstBuffer *to) const;
  bool try_fetch (GstBuffer *buffer, GstBuffer *to);
  BufferRef upload_copy (GstBuffer *buffer);
  BufferRef kept_copy (GstBuffer *buffer);

  struct Copy {
    BufferRef original, copy;
  };

  ContextRef context;
  const bool keeps_pages;
  PoolRef pool;
  /** Several inputs come again with the next frame, moved by one place: they are copied once. */
  std::vector<Copy> copies;
};

/** Copies the planes of a frame of format to another of the same size, both mapped, by several threads. */
GST_CL_API void copy_frame (GstVideoFrame &to, const GstVideoFrame &from, const Format &format);

/** Whether the planes lie where readers that know of no GstVideoMeta look for them. */
GST_CL_API bool has_default_layout (GstBuffer *buffer);
/** A copy of a frame of info, in the default layout and without a GstVideoMeta. Throws Failure. */
GST_CL_API BufferRef copy_in_default_layout (GstBuffer *buffer, const GstVideoInfo &info);

/** A buffer of pool. Throws Failure. */
GST_CL_API BufferRef acquire_buffer (GstBufferPool *pool);

/** Starts a pool for frames in caps. memory: what it holds, for the failure's text; config: the pool's, with further options, or
 *  null. Throws Failure. */
PoolRef start_pool (PoolRef pool, GstCaps *caps, guint min_buffers, const char *memory, GstStructure *config = nullptr);

/** An active pool of GstClMemory for frames of info, with features. Throws Failure. */
GST_CL_API PoolRef create_pool (const ContextRef &context, GstCaps *caps, guint min_buffers);

}  // namespace gst::cl
