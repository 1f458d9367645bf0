/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two sides of a stream: where its frames come from, and where its results go. */
#pragma once

#include "filter/arrangement.hpp"

#include <optional>

namespace gst::cl {

class OwnSource;
class Port;

/** A frame on its way: a buffer at a port, and its planes on the device. */
struct PortFrame {
  Port *port;
  /** Of a result that the host copies to foreign memory: a buffer of OpenCL memory. */
  GstBuffer *buffer;
  /** Whether kernels use GL's textures of the buffer. */
  bool texture;
  /** Whether the host copies the frame from or to foreign memory. */
  bool staged = false;
  /** The index among all inputs, including hidden ones. */
  size_t number = 0;
  /** Equals port if the input has its own caps. */
  OwnSource *own = nullptr;
  /** Keeps the buffer, if it is not the caller's. */
  BufferRef kept = {};
  std::optional<Frame> frame = {};
};

/** Frames of one format in one kind of memory: the inputs of a stream, or its results. Only this class of the filters knows GL. */
class GST_CL_API Port : public FrameMapper {
public:
  Port (const ContextRef &context, const MemoryLinks &links, const GstVideoInfo &info, MemoryKind kind, bool writes = false);

  /** Whether kernels use buffer through GL's textures. */
  bool reaches_texture (GstBuffer *buffer) const;
  bool has_textures () const { return gl && gl->has_textures (); }
  /** Gives a frame its planes. Frames in textures: in GL's thread. */
  void map (PortFrame &frame, cl_command_queue queue);
  /** For frames in textures, in GL's thread: acquire() gives their images to OpenCL, release() gives them back to GL. Textures
   *  of one link are acquired together, which is faster. acquired: set when release() is needed. */
  static void acquire (
      std::span<PortFrame *const> textures, cl_command_queue queue, std::vector<::cl::Event> &wait, bool &acquired);
  static ::cl::Event release (std::span<PortFrame *const> textures, cl_command_queue queue);
  /** Runs work in the GL thread of these frames, and waits. */
  static void visit (std::span<PortFrame *const> textures, const std::function<void ()> &work);
  /** Throws if GL has failed to copy a staged frame when it was mapped or unmapped; GL does not report that itself. before: the
   *  last port that was asked. */
  void require_moved (const Port *before) const;
  /** Releases the references to buffers. */
  void forget_links ();

  /** The value of `path` in `stats`, or null if the memory is not GL's. */
  const char *gl_path () const { return gl ? gl->path () : nullptr; }
  /** Adds the counts of the links that other does not have. */
  void count (LinkCounts &sum, const Port *other = nullptr) const;

  const MemoryKind kind;

protected:
  /** The link for GL memory, and the link for memory of this kind; or null. */
  GlLink *gl;
  MemoryLink *link;
  const bool writes;

private:
  static void for_each_link (
      std::span<PortFrame *const> textures, const std::function<void (GlLink &link, std::span<Frame *const> frames)> &work);
};

/** The format of caps. Throws Failure for caps that are no video. */
GstVideoInfo parse_caps (GstCaps *caps);

/** The results of a stream. */
class GST_CL_API OutputPort : public Port {
public:
  /** caps is null when nothing is written. Throws Failure. */
  OutputPort (const ContextRef &context, const MemoryLinks &links, const GstVideoInfo &info, MemoryKind kind, GstCaps *caps);
  ~OutputPort ();

  /** A buffer for a result. Throws Failure. */
  BufferRef acquire_result () { return next ? std::exchange (next, {}) : acquire_buffer (pool.get ()); }
  /** The way to a result: its textures, its memory, or a buffer that close() copies. */
  PortFrame open (GstBuffer *result);
  /** Announces the textures of the next result, so that they are acquired together with its inputs. */
  void expect_next ()
  {
    next = acquire_buffer (pool.get ());
    gl->expect (next.get ());
  }
  /** Copies a staged frame to its result, which waits for the kernels. Returns the number of bytes. */
  gsize close (const PortFrame &frame, GstBuffer *result);
  /** Whether the element must wait for the kernels that write the frame, because no later user of the frame does. */
  bool must_wait (const PortFrame &frame) const
  {
    return frame.texture || (!frame.staged && link && !link->is_awaited_by_map ());
  }

  bool writes_results () const { return bool (pool); }
  /** The path of memory that is neither GL's nor OpenCL's; null for other memory. */
  const char *link_path () const { return link && kind != MemoryKind::gl ? link->path () : nullptr; }
  guint64 all_allocations () const;

private:
  PoolRef pool;
  /** Buffers that the host copies to foreign memory. */
  PoolRef staging_pool;
  /** The result whose textures were announced in advance. */
  BufferRef next;
};

/** An input with its own caps, for operations that combine inputs of different size and format. */
class GST_CL_API OwnSource : public Port {
public:
  OwnSource (const ContextRef &context, const MemoryLinks &links, const GstVideoInfo &info, MemoryKind kind);

  /** Whether the source can read frames of these caps. */
  bool suits (const GstVideoInfo &other, MemoryKind other_kind) const;
  /** Returns a frame in buffers, as filters see it. */
  Planes enter (const Planes &frame) { return entrance.enter (reader, frame, "arranged"); }
  /** How many allocations were made since the input's first frame. */
  guint64 new_allocations ();

  /** Runs kernels on planes of the input's format. */
  Runner reader;
  std::unique_ptr<InputWork> work;

private:
  const Arrangement entrance;
  std::optional<guint64> allocations_at_first;
};

/** A frame of an OwnSource. */
struct SourceFrame {
  GstBuffer *buffer;
  std::shared_ptr<OwnSource> source;
};

}  // namespace gst::cl
