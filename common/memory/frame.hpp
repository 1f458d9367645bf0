/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The planes of a GstBuffer as kernel arguments, for every kind of memory. */
#pragma once

#include "memory/link.hpp"
#include "memory/placement.hpp"

#include <span>

namespace gst::cl {

/** A plane on the device. Width and height are in pixels of the plane. */
struct PlaneView {
  /** A buffer or an image (a GL texture). */
  ::cl::Memory memory;
  /** In a buffer: in samples. In an image, whose pixels are the plane's: the first row, and the step from row to row. */
  int offset, stride;
  int width, height;
  const PlaneLayout *layout;
  bool image = false;
  /** Whether the image holds each 16-bit sample in two 8-bit channels, the low byte first. */
  bool split = false;
};

/** The number of buffers that a pool of create_pool() has allocated so far. */
GST_CL_API guint64 pool_allocations (GstBufferPool *pool);
/** Sets the element that posts an error if the pool, which another element uses, has no memory for a frame. */
GST_CL_API void set_pool_owner (GstBufferPool *pool, GstElement *owner);
/** Takes the failure of the pool's last allocation; nothing if there was none, or if the pool is of another kind. */
GST_CL_API std::optional<Failure> take_pool_failure (GstBufferPool *pool);

/** Bytes and objects that frames needed on their way, for `stats`. */
struct FrameCounts {
  guint64 uploaded = 0;
  guint64 downloaded = 0;
  /** Number of cl_mem objects that were created. */
  guint64 allocations = 0;
};

/** A frame on the device, while commands that use it are being enqueued. */
class GST_CL_API Frame {
  struct HostMapping;
  /** The context whose reaper keeps a mapping of host pages or a buffer of textures. */
  ContextRef reaper_context;
  /** Outlives the planes: images are released before their textures are deleted. */
  BufferRef kept;

public:
  Frame (Frame &&) noexcept;
  ~Frame ();

  /** A frame that keeps buffer. The caller sets the planes to images of the buffer's textures. */
  static Frame of_images (const ContextRef &context, GstBuffer *buffer);

  /** How the frame reaches the device: "opencl", "host-shared", "upload", "images" or the path of a MemoryLink. */
  const char *path;
  std::array<PlaneView, most_planes> planes;
  int n_planes = 0;
  /** The events that the first command on the frame must wait for. */
  std::vector<::cl::Event> wait;

  GstBuffer *buffer () const { return kept.get (); }

  /** Returns memory of another interface to it. Call it after the last command on the frame is enqueued, and before
   *  complete_read() or complete_write(). The event is null if there is nothing to return. */
  ::cl::Event leave (cl_command_queue queue) { return frame_buffer ? frame_buffer->leave (queue) : ::cl::Event (); }
  /** Names the last command that reads the frame, and keeps the frame's memory until its end. */
  void complete_read (const Fence &fence);
  /** Names the last command that writes the frame. */
  void complete_write (const Fence &fence);
  /** Starts the copy to the host, for a frame that will be mapped. Returns the number of bytes. */
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
  /** keeps_pages: whether mapping a memory of the stream again gives the same pages; false for GL's memory. links: for memory
   *  of other interfaces. */
  FrameMapper (ContextRef context, const GstVideoInfo &info, bool keeps_pages = true, MemoryLinks links = {});
  ~FrameMapper ();

  /** A frame for commands on queue that read buffer. System memory is used in place if the device computes in host pages.
   *  Otherwise the device itself fetches memory that has come before, such as a pool's; other memory is copied through pinned
   *  pages. Throws Failure or cl::Error. */
  Frame read (GstBuffer *buffer, cl_command_queue queue);
  /** Drops the copies that read() made, except of frames in still_read. */
  void forget_copies (std::span<GstBuffer *const> still_read);
  /** A frame for commands on queue that write buffer, for which is_on_device() holds. Throws Failure or cl::Error. */
  Frame write (GstBuffer *buffer, cl_command_queue queue);
  /** Whether buffer holds one memory with a FrameBuffer of this context, and kernels can address every plane in it. */
  bool is_on_device (GstBuffer *buffer) const;

  /** buffer itself if it holds a GstClMemory of this context, else a copy in such a memory, without metadata. Throws Failure or
   *  cl::Error. */
  BufferRef on_device (GstBuffer *buffer);

  /** The number of cl_mem objects created so far, including the upload pool's. */
  guint64 allocations () const { return counts.allocations + (pool ? pool_allocations (pool.get ()) : 0); }

  FrameCounts counts;
  const GstVideoInfo info;
  const Format &format;
  /** For memory of other interfaces. */
  MemoryLinks links;

private:
  bool is_readable (GstBuffer *buffer, size_t size) const;
  bool try_link (Frame &frame, GstBuffer *buffer);
  bool try_wrap (Frame &frame, GstBuffer *buffer);
  void use_frame_buffer (Frame &frame, GstBuffer *buffer);
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
  /** Operations on several frames read most of them again with the next frame; so each frame is copied once. */
  std::vector<Copy> copies;
};

/** Adds a GstVideoMeta with the layout of info. */
inline GstVideoMeta *
add_video_meta (GstBuffer *buffer, GstVideoInfo info)
{
  return gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT (&info),
      GST_VIDEO_INFO_WIDTH (&info), GST_VIDEO_INFO_HEIGHT (&info), GST_VIDEO_INFO_N_PLANES (&info), info.offset, info.stride);
}

/** Copies the planes of a mapped frame to another mapped frame of the same format and size, by several threads. */
GST_CL_API void copy_frame (GstVideoFrame &to, const GstVideoFrame &from, const Format &format);

/** Maps a frame of info to read its planes. False if they do not lie within the buffer, or it cannot be mapped. */
GST_CL_API bool map_to_read (GstVideoFrame &frame, const GstVideoInfo &info, GstBuffer *buffer);

/** Maps both buffers, which have frames of info, and copies one to the other. False if one cannot be mapped. Throws Failure. */
bool copy_buffer (GstBuffer *from, GstBuffer *to, const GstVideoInfo &info);

/** Whether the planes of a frame of info are where a reader without GstVideoMeta expects them. */
GST_CL_API bool has_default_layout (GstBuffer *buffer, const GstVideoInfo &info);
/** Copies a frame of info into the default layout, without a GstVideoMeta. Throws Failure. */
GST_CL_API BufferRef copy_in_default_layout (GstBuffer *buffer, const GstVideoInfo &info);

/** Takes a buffer from pool. Throws Failure. */
GST_CL_API BufferRef acquire_buffer (GstBufferPool *pool);

/** Configures and starts a pool for frames in caps. memory: the kind of memory, for messages. config: the pool's configuration
 *  with further options, or null. Throws Failure. */
PoolRef start_pool (PoolRef pool, GstCaps *caps, guint min_buffers, const char *memory, GstStructure *config = nullptr);

/** An active pool of GstClMemory for frames in caps. Throws Failure. */
GST_CL_API PoolRef create_pool (const ContextRef &context, GstCaps *caps, guint min_buffers);

/** Adds an inactive pool for frames in caps, with an option or null, to the answer to an allocation query. */
void offer_pool (GstQuery *query, GstBufferPool *pool, GstCaps *caps, const char *option = nullptr);

}  // namespace gst::cl
