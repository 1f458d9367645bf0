/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base class of filters that make a result from a frame and the frames before and after it. Frames wait in a queue until
 * the later frames that they need have come; the element reports this wait as latency. No frame is lost: waiting frames are
 * pushed at the end of a stream or segment, at gaps, discontinuities, still frames, drain queries, new caps and new segments.
 * Other serialized events wait in their place among the frames. */
#pragma once

#include "filter/framequeue.hpp"
#include "filter/gstclfilter.hpp"

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
  /** Whether frames continue the earlier ones even after a discontinuity. Gap events are then not passed on. */
  bool bridges_gaps;
  /** Optional: how many results a window has; one by default. */
  unsigned (*results) (GstClWindowFilter *self, const gst::cl::FrameQueue::Window &window);
  /** Optional: makes one of the results; gst_cl_window_filter_make() by default. */
  GstFlowReturn (*make) (GstClWindowFilter *self, const gst::cl::FrameQueue::Window &window, unsigned result, GstBuffer **out);
};

GST_CL_API GType gst_cl_window_filter_get_type ();
#define GST_TYPE_CL_WINDOW_FILTER (gst_cl_window_filter_get_type ())

/** Makes a result with the times, flags and metas of the window's main frame, or sets *out to a new reference of that frame if
 *  it passes unchanged. job: see FrameTimes::job. */
GST_CL_API GstFlowReturn gst_cl_window_filter_make (
    GstClWindowFilter *self, const gst::cl::FrameQueue::Window &window, unsigned job, GstBuffer **out);

/** Lets the operation observe one frame of the window without a result. Settings, times and metas are those of the main
 *  frame. */
GST_CL_API GstFlowReturn gst_cl_window_filter_look (
    GstClWindowFilter *self, const gst::cl::FrameQueue::Window &window, size_t frame, unsigned job);

/** With idle, frames of any memory pass unchanged, and no stream is made. For set_caps(), after
 *  gst_cl_window_filter_drain(). */
GST_CL_API void gst_cl_window_filter_set_idle (GstClWindowFilter *self, bool idle);

/** Pushes the waiting frames, without waiting for later ones. */
GST_CL_API void gst_cl_window_filter_drain (GstClWindowFilter *self);
