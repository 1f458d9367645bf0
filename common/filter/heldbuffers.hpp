/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a filter that holds frames asks of the pools that these come from. */
#pragma once

#include "memory/link.hpp"

namespace gst::cl {

/** Asks for so many buffers more, in the answer to an allocation query. */
void ask_for_buffers (GstQuery *query, guint held);

/** Not every source makes its pool as large as it is asked to, and would wait for buffers that wait for the frames after them. */
class HeldBuffers {
public:
  /** A frame that came to this pad, as it can wait: a copy where its pool has fewer buffers than `needed`. The caller's reference goes
   *  over. */
  BufferRef take (GstBuffer *frame, GstPad *pad, guint needed);
  /** `needed` has changed, or the pad's caps have. */
  void forget () { pool = nullptr; }

private:
  /** Where the last frame came from, not owned. */
  GstBufferPool *pool = nullptr;
  bool is_small = false;
};

}  // namespace gst::cl
