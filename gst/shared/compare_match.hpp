/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the frame of one stream that is shown with a frame of another. */
#pragma once

#include "memory/frame.hpp"

#include <gst/base/gstaggregator.h>

#include <optional>

namespace gst::cl {

/** A frame with its place in running time; times are invalid where they are not known. */
struct TimedFrame {
  BufferRef buffer;
  GstVideoInfo info;
  GstClockTime start = GST_CLOCK_TIME_NONE, duration = GST_CLOCK_TIME_NONE;
};

/** A frame of the pad, by the pad's segment; one without a duration lasts as long as the caps say. */
TimedFrame timed_frame (GstAggregatorPad *pad, BufferRef buffer, const GstVideoInfo &info);

/** Keeps the reference frame that is shown now. The frame that belongs to a time is the last one that began by then, up to
 *  half a frame early: time stamps of different sources are rounded differently. It is shown until its end, or until the
 *  next one where its duration is not known. Frames without times belong together in their order. */
class CompareMatch {
public:
  /** The next reference frame, where it has begun by the frame's start; false if it has not. */
  bool advance (const TimedFrame &frame, const TimedFrame &next);
  /** Whether no further reference frame can be a better match. */
  bool is_certain (const TimedFrame &frame) const;
  /** The match, null if none is shown then. */
  const TimedFrame *find (const TimedFrame &frame) const;
  /** The last frame that began, shown or not; null before the first. */
  const TimedFrame *last () const { return shown ? &*shown : nullptr; }
  void clear () { shown.reset (); }

private:
  static GstClockTime tolerance (const TimedFrame &frame, const TimedFrame &reference);

  std::optional<TimedFrame> shown;
};

}  // namespace gst::cl
