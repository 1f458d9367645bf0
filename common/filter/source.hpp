/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a stream's input frames come from, and how they reach the device. */
#pragma once

#include "filter/arrangement.hpp"
#include "filter/caps.hpp"
#include "gl/link.hpp"

#include <optional>

namespace gst::cl {

/** Frames of one kind: all inputs of a stream, or those of one input. */
struct GST_CL_API FrameSource : FrameMapper {
  FrameSource (const ContextRef &context, Links links, const GstVideoInfo &info, MemoryKind kind);
  virtual ~FrameSource ();

  /** Whether buffer is read as the texture that it is. */
  bool reads_texture (GstBuffer *buffer) const;

  const MemoryKind kind;
  /** Of GL memory, else null; `links` are those of other kinds. */
  const std::shared_ptr<GlLink> link;
};

/** What an operation keeps for an input, for as long as that is there. */
class GST_CL_API InputWork {
public:
  virtual ~InputWork () = default;
};

/** An input with caps of its own, for operations that put together what differs in size and format. */
class GST_CL_API OwnSource : public FrameSource {
public:
  OwnSource (const ContextRef &context, Links links, const GstVideoInfo &info, MemoryKind kind);

  /** Whether frames of such caps come from here. */
  bool suits (const GstVideoInfo &other, MemoryKind other_kind) const;
  /** A frame in buffers, as filters see it. */
  Planes enter (const Planes &frame);
  /** What has been allocated since the input's first frame. */
  guint64 new_allocations ();

  /** For kernels on planes of the input's format. */
  Runner reader;
  std::unique_ptr<InputWork> work;

private:
  std::optional<Arrangement> entrance;
  std::optional<guint64> allocations_at_first;
};

/** A frame of such an input. */
struct SourceFrame {
  GstBuffer *buffer;
  std::shared_ptr<OwnSource> source;
};

}  // namespace gst::cl
