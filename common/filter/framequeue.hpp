/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A queue of frames that wait for later frames, and of earlier frames that are still needed: the window of a filter over
 * time. */
#pragma once

#include "memory/frame.hpp"
#include "memory/link.hpp"

#include <deque>
#include <optional>

namespace gst::cl {

class GST_CL_API FrameQueue {
public:
  /** A frame and its neighbours, in the order of their times. */
  struct Window {
    std::vector<BufferRef> frames;
    size_t main;
    /** The number of frames[0]; see FrameTimes::first_input. */
    guint64 first;
    /** Whether the stream plays in reverse: the last of these frames arrived first. */
    bool backwards = false;
  };

  /** Appends a frame. It continues the frames before it unless close() was called in between. backwards: the frame is earlier
   *  than the one before it; may change only after close(). */
  void push (BufferRef frame, bool backwards = false);
  /** Call this when no frame continues the pushed ones, so that they need not wait any longer. */
  void close ();
  void clear () { runs.clear (); }

  /** The frame that pop() returns next, or null. */
  GstBuffer *next ();
  /** Returns the next frame with up to `behind` frames before it and up to `reach` frames after it, or nothing while some of
   *  these are still to come. Releases frames that no later call with these arguments needs. */
  std::optional<Window> pop (size_t reach, size_t behind);

private:
  /** Consecutive frames, in order of arrival. */
  struct Run {
    std::deque<BufferRef> frames;
    /** How many frames, gaps included, came before frames[0]. */
    guint64 number;
    bool backwards;
    /** Index of the frame that pop() returns next. */
    size_t next = 0;
    bool closed = false;
  };

  std::deque<Run> runs;
  guint64 numbers = 0;
};

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
