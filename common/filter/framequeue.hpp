/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames that wait for those after them, and keep those before them: the window of filters over time. */
#pragma once

#include "memory/frame.hpp"

#include <deque>
#include <optional>

namespace gst::cl {

class GST_CL_API FrameQueue {
public:
  /** The frames around one of them, in the order of their times. */
  struct Window {
    std::vector<BufferRef> frames;
    size_t main;
    /** The number of frames[0], see FrameTimes::first_input. */
    guint64 first;
    /** Whether the stream plays in reverse: the last frame came first. */
    bool backwards = false;
  };

  /** Takes the frame that comes after the last one, unless close() was called in between. backwards: it is earlier than the last one;
   *  no change without close(). */
  void push (BufferRef frame, bool backwards = false);
  /** No frame follows those that were pushed: they need not wait any longer. */
  void close ();
  void clear () { runs.clear (); }

  /** The frame that pop() is about to give, or null where there is none. */
  GstBuffer *next ();
  /** The next frame in order with up to `behind` frames that came before it and `reach` that came after it, or nothing while frames
   *  have yet to come for it. Frames that no later window like this needs are let go. */
  std::optional<Window> pop (size_t reach, size_t behind);

private:
  /** Frames that follow each other, as they came. */
  struct Run {
    std::deque<BufferRef> frames;
    /** Of frames[0]: how many came before it, gaps included. */
    guint64 number;
    bool backwards;
    /** Index of the frame that is next. */
    size_t next = 0;
    bool closed = false;
  };

  std::deque<Run> runs;
  guint64 numbers = 0;
};

}  // namespace gst::cl
