/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the frame of one stream that is shown with a frame of another. */
#pragma once

#include "memory/frame.hpp"

#include <algorithm>
#include <cmath>
#include <gst/video/video.h>
#include <optional>

namespace gst::cl {

/** A frame with its running time, from its first moment on the screen; unknown times are invalid. An empty buffer is a gap, in
 *  which no frame is shown. */
struct TimedFrame {
  bool is_gap () const { return gst_buffer_get_size (buffer.get ()) == 0; }

  BufferRef buffer;
  GstVideoInfo info;
  GstClockTime start = GST_CLOCK_TIME_NONE, duration = GST_CLOCK_TIME_NONE;
  /** Whether the stream plays backwards. */
  bool reversed = false;
};

/** Keeps the reference frame that is currently shown. A frame is matched with the last reference frame that began by its time,
 *  or up to half a frame later, because different sources round time stamps differently. A reference frame is shown until its
 *  end, or, if its duration is unknown, until the next one. Frames without times are matched in order. Reverse playback gives
 *  the matches of forward playback. */
class CompareMatch {
public:
  /** Takes the next reference frame if it has begun by the frame's start; returns false otherwise. */
  bool advance (const TimedFrame &frame, const TimedFrame &next)
  {
    const bool timed = GST_CLOCK_TIME_IS_VALID (frame.start) && GST_CLOCK_TIME_IS_VALID (next.start);
    if (!timed || next.start <= moment (frame, next) + tolerance (frame, next)) {
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
    const GstClockTime margin = tolerance (frame, *shown), time = moment (frame, *shown);
    if (shown->start + margin >= time)
      return true;
    return GST_CLOCK_TIME_IS_VALID (shown->duration) && time + margin < shown->start + shown->duration;
  }

  /** The match; null if no reference frame is shown at that time. */
  const TimedFrame *find (const TimedFrame &frame) const
  {
    const bool in_order = shown && !(GST_CLOCK_TIME_IS_VALID (frame.start) && GST_CLOCK_TIME_IS_VALID (shown->start));
    return (in_order || is_certain (frame)) && !shown->is_gap () ? &*shown : nullptr;
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

  /* The time at which a frame selects its reference. Backwards, that is near the frame's end, where it begins forwards. */
  static GstClockTime moment (const TimedFrame &frame, const TimedFrame &reference)
  {
    const bool is_longer = GST_CLOCK_TIME_IS_VALID (frame.duration) && frame.duration > reference.duration;
    return frame.start + (frame.reversed && is_longer ? frame.duration - reference.duration : 0);
  }

  std::optional<TimedFrame> shown;
};

/** A frame without a duration lasts as long as the caps' framerate says. A frame outside the segment has no time. */
inline TimedFrame
timed_frame (BufferRef buffer, const GstVideoInfo &info, const GstSegment &segment)
{
  TimedFrame frame{.buffer = std::move (buffer), .info = info, .reversed = segment.rate < 0};
  const GstClockTime pts = GST_BUFFER_PTS (frame.buffer.get ());
  frame.duration = GST_BUFFER_DURATION (frame.buffer.get ());
  if (!GST_CLOCK_TIME_IS_VALID (frame.duration) && GST_VIDEO_INFO_FPS_N (&info) > 0)
    frame.duration = gst_util_uint64_scale_int (GST_SECOND, GST_VIDEO_INFO_FPS_D (&info), GST_VIDEO_INFO_FPS_N (&info));
  const bool has_end = GST_CLOCK_TIME_IS_VALID (frame.duration);
  guint64 first, last;
  if (segment.format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (pts)
      || !gst_segment_clip (
          &segment, GST_FORMAT_TIME, pts, has_end ? pts + frame.duration : GST_CLOCK_TIME_NONE, &first, &last))
    return frame;
  frame.start = gst_segment_to_running_time (&segment, GST_FORMAT_TIME, frame.reversed && has_end ? last : first);
  if (has_end)
    frame.duration = GstClockTime (double (last - first) / std::abs (segment.rate));
  return frame;
}

}  // namespace gst::cl
