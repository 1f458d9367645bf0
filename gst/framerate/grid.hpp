/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The times of frames at a framerate, in segments played at any rate. */
#pragma once

#include <gst/gst.h>

namespace gst::cl {

/** The times of frames, counted from the start of a segment. They are stream times, so at half speed they are half as far
 *  apart. */
class FrameGrid {
public:
  FrameGrid () = default;
  FrameGrid (GstClockTime origin, int fps_n, int fps_d, double rate);

  GstClockTime time_of (gint64 number) const;
  GstClockTime length_of (gint64 number) const { return time_of (number + 1) - time_of (number); }
  /** The first frame at or after a time; a frame may be earlier by the tolerance, since times are often rounded. */
  gint64 first_from (GstClockTime time) const;
  /** In nanoseconds. */
  GstClockTime tolerance () const { return slack; }

private:
  GstClockTime origin = 0, slack = 0;
  int n = 1, d = 1;
  double speed = 1;
};

}  // namespace gst::cl
