/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base class of filters that make a result from a frame and the frames before and after it. Frames wait in a queue until
 * the later frames that they need have come; the element reports this wait as latency. No frame is lost: waiting frames are
 * pushed at the end of a stream or segment, at gaps, discontinuities, still frames, drain queries, new caps and new segments.
 * Other serialized events wait in their place among the frames. */
#pragma once

#include "filter/gstclfilter.hpp"

#include <algorithm>
#include <deque>
#include <optional>

namespace gst::cl {

/** A queue of frames that wait for later frames, and of earlier frames that are still needed: the window of a filter over time. */
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

  /** Appends a frame. It continues the frames before it unless close() was called in between. backwards: it is earlier than the
   *  frame before it; may change only after close(). */
  void push (BufferRef frame, bool backwards = false)
  {
    if (runs.empty () || runs.back ().closed) {
      numbers++; /* leaves a gap */
      runs.push_back ({.frames = {}, .number = numbers, .backwards = backwards});
    }
    runs.back ().frames.push_back (std::move (frame));
    numbers++;
  }

  /** Ends the wait of the pushed frames. Call this when no frame continues them. */
  void close ()
  {
    if (!runs.empty ())
      runs.back ().closed = true;
  }

  void clear () { runs.clear (); }

  /** The frame that pop() returns next, or null. */
  GstBuffer *next ()
  {
    while (!runs.empty () && runs.front ().closed && runs.front ().next == runs.front ().frames.size ())
      runs.pop_front ();
    if (runs.empty () || runs.front ().next == runs.front ().frames.size ())
      return nullptr;
    return runs.front ().frames[runs.front ().next].get ();
  }

  /** Returns the next frame with up to `behind` frames before it and up to `reach` frames after it, as far as they have come; or
   *  nothing if the queue is empty. */
  std::optional<Window> peek (size_t reach, size_t behind)
  {
    if (!next ())
      return std::nullopt;
    const Run &run = runs.front ();
    const size_t first = run.next - std::min (run.next, behind), last = std::min (run.next + reach, run.frames.size () - 1);
    Window window{.frames = {run.frames.begin () + first, run.frames.begin () + last + 1},
        .main = run.next - first,
        .first = run.number + first,
        .backwards = run.backwards};
    if (run.backwards) {
      std::ranges::reverse (window.frames);
      window.main = last - run.next;
      window.first = backwards_from - (run.number + last);
    }
    return window;
  }

  /** The same, or nothing until all these frames have come. Releases frames that no later call with these arguments needs. */
  std::optional<Window> pop (size_t reach, size_t behind)
  {
    if (!next () || (!runs.front ().closed && runs.front ().next + reach >= runs.front ().frames.size ()))
      return std::nullopt;
    std::optional<Window> window = peek (reach, behind);
    Run &run = runs.front ();
    run.next++;
    while (run.next > behind) {
      run.frames.pop_front ();
      run.number++;
      run.next--;
    }
    return window;
  }

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

  /* Frame numbers rise with time, so in reverse they count down from this one. Kernels take the lower 31 bits, which leave room
   * in both directions. */
  static constexpr guint64 backwards_from = (guint64 (1) << 48) + (1 << 30);

  std::deque<Run> runs;
  guint64 numbers = 0;
};

/** Copies frames of small pools. Some sources make their pool smaller than requested, and would then wait for buffers that this
 *  filter holds while it waits for their next frames. */
class HeldBuffers {
public:
  /** Returns a frame that may be held: the frame, or a copy if its pool has fewer than `needed` buffers. Takes ownership of
   *  frame, which came to pad. */
  BufferRef take (GstBuffer *frame, GstPad *pad, guint needed)
  {
    BufferRef taken (frame);
    if (std::exchange (pool, frame->pool) != frame->pool) {
      g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
      is_small = pool && caps && memory_kind (caps) == MemoryKind::system && has_fewer (pool, needed);
    }
    GstBuffer *copy = is_small ? gst_buffer_copy_deep (frame) : nullptr;
    return copy ? BufferRef (copy) : taken;
  }

  /** Call this when `needed` or the pad's caps have changed. */
  void forget () { pool = nullptr; }

private:
  static bool has_fewer (GstBufferPool *pool, guint needed)
  {
    guint most = 0;
    g_autoptr (GstStructure) config = gst_buffer_pool_get_config (pool);
    gst_buffer_pool_config_get_params (config, nullptr, nullptr, nullptr, &most);
    return most > 0 && most < needed;
  }

  /** The pool of the last frame; not owned. */
  GstBufferPool *pool = nullptr;
  bool is_small = false;
};

/** Asks for `held` more buffers in the answer to an allocation query. Removes pools that cannot grow to this many buffers. */
inline void
ask_for_buffers (GstQuery *query, guint held)
{
  const guint pools = gst_query_get_n_allocation_pools (query);
  GstCaps *caps = nullptr;
  GstVideoInfo info;
  gst_query_parse_allocation (query, &caps, nullptr);
  if (pools == 0 && caps && video_info_from_caps (info, caps))
    gst_query_add_allocation_pool (query, nullptr, guint (GST_VIDEO_INFO_SIZE (&info)), held, 0);
  for (guint i = 0; i < pools; i++) {
    GstBufferPool *pool = nullptr;
    guint size, least, most;
    gst_query_parse_nth_allocation_pool (query, i, &pool, &size, &least, &most);
    const bool fits = most == 0 || most >= least + held;
    gst_query_set_nth_allocation_pool (query, i, fits ? pool : nullptr, size, least + held, fits ? most : 0);
    gst_clear_object (&pool);
  }
}

}  // namespace gst::cl

/** GstClWindowFilter: abstract. A subclass sets its description and reach, and chains up in the functions that it overrides. */
struct GstClWindowFilter {
  GstClFilter parent;
  struct GstClWindowFilterPrivate *priv;
};

struct GstClWindowFilterClass {
  GstClFilterClass parent_class;
  /** Optional: how many frames on each side a result needs; by default, as many as follow it according to the description.
   *  Called by the streaming thread and by threads that query the latency. */
  size_t (*reach) (GstClWindowFilter *self, const gst::cl::Values &values);
  /** Whether results need no earlier frames, which are then released at once. */
  bool looks_ahead_only;
  /** Optional: called when a frame has come and the window still waits for others: gst_cl_window_filter_look() can do work early. */
  GstFlowReturn (*look_ahead) (GstClWindowFilter *self, const gst::cl::FrameQueue::Window &so_far);
  /** Whether frames continue the earlier ones even after a discontinuity. Gap events are then not passed on. */
  bool bridges_gaps;
  /** Optional: how many results a window has; one by default. */
  unsigned (*results) (GstClWindowFilter *self, const gst::cl::FrameQueue::Window &window);
  /** Optional: the time of one of the results; the main frame's by default. */
  GstClockTime (*time_of) (GstClWindowFilter *self, const gst::cl::FrameQueue::Window &window, unsigned result);
  /** Optional: makes one of the results; gst_cl_window_filter_make() by default. */
  GstFlowReturn (*make) (GstClWindowFilter *self, const gst::cl::FrameQueue::Window &window, unsigned result, GstBuffer **out);
};

GST_CL_API GType gst_cl_window_filter_get_type ();
#define GST_TYPE_CL_WINDOW_FILTER (gst_cl_window_filter_get_type ())

/** Makes a result with the times, flags and metas of the window's main frame, or sets *out to a new reference of that frame if
 *  it passes unchanged. job: see FrameTimes::job. */
GST_CL_API GstFlowReturn gst_cl_window_filter_make (
    GstClWindowFilter *self, const gst::cl::FrameQueue::Window &window, unsigned job, GstBuffer **out);

/** Lets the operation observe one frame of the window without a result. Settings, times and metas are the main
 *  frame's. */
GST_CL_API GstFlowReturn gst_cl_window_filter_look (
    GstClWindowFilter *self, const gst::cl::FrameQueue::Window &window, size_t frame, unsigned job);

/** With idle, frames of any memory pass unchanged, and no stream is made. For set_caps(), after
 *  gst_cl_window_filter_drain(). */
GST_CL_API void gst_cl_window_filter_set_idle (GstClWindowFilter *self, bool idle);

/** Pushes the waiting frames, without waiting for later ones. */
GST_CL_API void gst_cl_window_filter_drain (GstClWindowFilter *self);
