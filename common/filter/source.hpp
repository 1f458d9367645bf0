/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The input frames of a stream, and how the device reads them. */
#pragma once

#include "filter/arrangement.hpp"
#include "gl/link.hpp"
#include "interop/caps.hpp"

#include <optional>

namespace gst::cl {

/** Frames of one format and memory: all inputs of a stream, or one input. */
struct GST_CL_API FrameSource : FrameMapper {
  FrameSource (const ContextRef &context, Links links, const GstVideoInfo &info, MemoryKind kind);
  virtual ~FrameSource ();

  /** Whether the device reads buffer directly as a texture. */
  bool reads_texture (GstBuffer *buffer) const;

  const MemoryKind kind;
  /** The link for GL memory, or null. `links` holds the links for other kinds of memory. */
  const std::shared_ptr<GlLink> link;
};

/** An operation's own data about an input; destroyed with the input. */
class GST_CL_API InputWork {
public:
  virtual ~InputWork () = default;
};

/** An input with its own caps, for operations that combine inputs of different size and format. */
class GST_CL_API OwnSource : public FrameSource {
public:
  OwnSource (const ContextRef &context, Links links, const GstVideoInfo &info, MemoryKind kind);

  /** Whether the source can read frames of these caps. */
  bool suits (const GstVideoInfo &other, MemoryKind other_kind) const;
  /** Returns a frame in buffers, as filters see it. */
  Planes enter (const Planes &frame);
  /** How many allocations were made since the input's first frame. */
  guint64 new_allocations ();

  /** Runs kernels on planes of the input's format. */
  Runner reader;
  std::unique_ptr<InputWork> work;

private:
  std::optional<Arrangement> entrance;
  std::optional<guint64> allocations_at_first;
};

/** A frame of an OwnSource. */
struct SourceFrame {
  GstBuffer *buffer;
  std::shared_ptr<OwnSource> source;
};

}  // namespace gst::cl
