/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes sure that a filter which holds frames does not exhaust upstream's buffer pool. */
#pragma once

#include "memory/link.hpp"

namespace gst::cl {

/** Asks for `held` more buffers in the answer to an allocation query. */
void ask_for_buffers (GstQuery *query, guint held);

/** Copies frames of small pools. Some sources make their pool smaller than requested, and would then wait for buffers that this
 *  filter holds until further frames come. */
class HeldBuffers {
public:
  /** Returns a frame that may be held: the frame, or a copy if its pool has fewer than `needed` buffers. Takes ownership of
   *  frame, which came to pad. */
  BufferRef take (GstBuffer *frame, GstPad *pad, guint needed);
  /** Call this when `needed` or the pad's caps have changed. */
  void forget () { pool = nullptr; }

private:
  /** The pool of the last frame; not owned. */
  GstBufferPool *pool = nullptr;
  bool is_small = false;
};

}  // namespace gst::cl
