/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the frame of one stream that is shown with a frame of another. */
#pragma once

#include "memory/frame.hpp"

#include <algorithm>
#include <gst/video/video.h>
#include <optional>

namespace gst::cl {

/** A frame with its running time; unknown times are invalid. */
struct TimedFrame {
  BufferRef buffer;
  GstVideoInfo info;
  GstClockTime start = GST_CLOCK_TIME_NONE, duration = GST_CLOCK_TIME_NONE;
};

/** Keeps the reference frame that is currently shown. A frame is matched with the last reference frame that began by its time,
 *  or up to half a frame later, because different sources round time stamps differently. A reference frame is shown until its
 *  end, or, if its duration is unknown, until the next one. Frames without times are matched in order. */
class CompareMatch {
public:
  /** Takes the next reference frame if it has begun by the frame's start; returns false otherwise. */
  bool advance (const TimedFrame &frame, const TimedFrame &next)
  {
    const bool timed = GST_CLOCK_TIME_IS_VALID (frame.start) && GST_CLOCK_TIME_IS_VALID (next.start);
    if (!timed || next.start <= frame.start + tolerance (frame, next)) {
      shown = next;
      return true;
    }
    if (shown && GST_CLOCK_TIME_IS_VALID (shown->start) && !GST_CLOCK_TIME_IS_VALID (shown->duration))
      shown->duration = next.start - shown->start;
    return false;
  }

  /** Whether no further reference frame can be a better match. A reference frame belongs to the frame if it began with it, or
   *  if most of the frame is before the reference's end. */
  bool is_certain (const TimedFrame &frame) const
  {
    if (!shown || !GST_CLOCK_TIME_IS_VALID (frame.start) || !GST_CLOCK_TIME_IS_VALID (shown->start))
      return false;
    const GstClockTime margin = tolerance (frame, *shown);
    if (shown->start + margin >= frame.start)
      return true;
    return GST_CLOCK_TIME_IS_VALID (shown->duration) && frame.start + margin < shown->start + shown->duration;
  }

  /** The match; null if no reference frame is shown at that time. */
  const TimedFrame *find (const TimedFrame &frame) const
  {
    const bool in_order = shown && !(GST_CLOCK_TIME_IS_VALID (frame.start) && GST_CLOCK_TIME_IS_VALID (shown->start));
    return in_order || is_certain (frame) ? &*shown : nullptr;
  }

  /** The last frame that began, even if it has ended; null before the first. */
  const TimedFrame *last () const { return shown ? &*shown : nullptr; }
  void clear () { shown.reset (); }

private:
  /* Returns more than any time if a time is invalid. */
  static GstClockTime tolerance (const TimedFrame &frame, const TimedFrame &reference)
  {
    const GstClockTime shorter = std::min (frame.duration, reference.duration);
    return GST_CLOCK_TIME_IS_VALID (shorter) ? shorter / 2 : 0;
  }

  std::optional<TimedFrame> shown;
};

/** A frame without a duration lasts as long as the caps' framerate says. */
inline TimedFrame
timed_frame (BufferRef buffer, const GstVideoInfo &info, const GstSegment &segment)
{
  TimedFrame frame{.buffer = std::move (buffer), .info = info};
  GstBuffer *const b = frame.buffer.get ();
  if (GST_BUFFER_PTS_IS_VALID (b) && segment.format == GST_FORMAT_TIME)
    frame.start = gst_segment_to_running_time (&segment, GST_FORMAT_TIME, GST_BUFFER_PTS (b));
  frame.duration = GST_BUFFER_DURATION (b);
  if (!GST_CLOCK_TIME_IS_VALID (frame.duration) && GST_VIDEO_INFO_FPS_N (&info) > 0)
    frame.duration = gst_util_uint64_scale_int (GST_SECOND, GST_VIDEO_INFO_FPS_D (&info), GST_VIDEO_INFO_FPS_N (&info));
  return frame;
}

}  // namespace gst::cl
