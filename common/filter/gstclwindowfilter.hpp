/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of filters whose results are made from a frame and those before and after it: frames wait in a queue until those
 * that they need have come, which is reported as latency. Nothing is lost: what waits leaves at the end of the stream or of a
 * segment, at gaps, discontinuities, still frames, drain queries, new caps and new segments. Other serialized events wait in their
 * place among the frames. */
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
  /** How many frames on either side a result is made from. Streaming thread, and whoever asks for the latency. */
  size_t (*reach) (GstClWindowFilter *self, const gst::cl::Values &values);
  /** Whether it is made without those before it, which then need not stay. */
  bool looks_ahead_only;
  /** Whether frames follow those before them after a discontinuity, too; gap events then end here. */
  bool bridges_gaps;
  /** Optional: how many results a window has; else one. */
  unsigned (*results) (GstClWindowFilter *self, const gst::cl::FrameQueue::Window &window);
  /** Optional: makes one of them; else it is gst_cl_window_filter_make(). */
  GstFlowReturn (*make) (GstClWindowFilter *self, const gst::cl::FrameQueue::Window &window, unsigned result, GstBuffer **out);
};

GST_CL_API GType gst_cl_window_filter_get_type ();
#define GST_TYPE_CL_WINDOW_FILTER (gst_cl_window_filter_get_type ())

/** A result with times, flags and metas of the window's main frame; or that frame itself where it passes, which *out then holds
 *  a reference of. job: FrameTimes::job. */
GST_CL_API GstFlowReturn gst_cl_window_filter_make (
    GstClWindowFilter *self, const gst::cl::FrameQueue::Window &window, unsigned job, GstBuffer **out);

/** Has the operation look at one frame of the window, without a result: settings, times and metas are those of the main one. */
GST_CL_API GstFlowReturn gst_cl_window_filter_look (
    GstClWindowFilter *self, const gst::cl::FrameQueue::Window &window, size_t frame, unsigned job);

/** Whether frames pass as they are, in memory of any kind: no stream is made for them. For set_caps(), after
 *  gst_cl_window_filter_drain(). */
GST_CL_API void gst_cl_window_filter_set_idle (GstClWindowFilter *self, bool idle);

/** Lets the frames that wait go on their way, without those after them. */
GST_CL_API void gst_cl_window_filter_drain (GstClWindowFilter *self);
