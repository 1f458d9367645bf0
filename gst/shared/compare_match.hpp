/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the frame of one stream that is shown with a frame of another. */
#pragma once

#include "memory/frame.hpp"

#include <gst/video/video.h>

#include <optional>

namespace gst::cl {

/** A frame with its running time; unknown times are invalid. */
struct TimedFrame {
  BufferRef buffer;
  GstVideoInfo info;
  GstClockTime start = GST_CLOCK_TIME_NONE, duration = GST_CLOCK_TIME_NONE;
};

/** A frame without a duration lasts as long as the caps' framerate says. */
TimedFrame timed_frame (BufferRef buffer, const GstVideoInfo &info, const GstSegment &segment);

/** Keeps the reference frame that is currently shown. A frame is matched with the last reference frame that began by its time,
 *  or up to half a frame later, because different sources round time stamps differently. A reference frame is shown until its
 *  end, or, if its duration is unknown, until the next one. Frames without times are matched in order. */
class CompareMatch {
public:
  /** Takes the next reference frame if it has begun by the frame's start; returns false otherwise. */
  bool advance (const TimedFrame &frame, const TimedFrame &next);
  /** Whether no further reference frame can be a better match. */
  bool is_certain (const TimedFrame &frame) const;
  /** The match; null if no reference frame is shown at that time. */
  const TimedFrame *find (const TimedFrame &frame) const;
  /** The last frame that began, even if it has ended; null before the first. */
  const TimedFrame *last () const { return shown ? &*shown : nullptr; }
  void clear () { shown.reset (); }

private:
  static GstClockTime tolerance (const TimedFrame &frame, const TimedFrame &reference);

  std::optional<TimedFrame> shown;
};

}  // namespace gst::cl
