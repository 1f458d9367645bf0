/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/compare_match.hpp"

#include <algorithm>

namespace gst::cl {

TimedFrame
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

/* Returns more than any time if a time is invalid. */
GstClockTime
CompareMatch::tolerance (const TimedFrame &frame, const TimedFrame &reference)
{
  const GstClockTime shorter = std::min (frame.duration, reference.duration);
  return GST_CLOCK_TIME_IS_VALID (shorter) ? shorter / 2 : 0;
}

bool
CompareMatch::advance (const TimedFrame &frame, const TimedFrame &next)
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

/* A reference frame belongs to the frame if it began with it, or if most of the frame is before the reference's end. */
bool
CompareMatch::is_certain (const TimedFrame &frame) const
{
  if (!shown || !GST_CLOCK_TIME_IS_VALID (frame.start) || !GST_CLOCK_TIME_IS_VALID (shown->start))
    return false;
  const GstClockTime margin = tolerance (frame, *shown);
  if (shown->start + margin >= frame.start)
    return true;
  return GST_CLOCK_TIME_IS_VALID (shown->duration) && frame.start + margin < shown->start + shown->duration;
}

const TimedFrame *
CompareMatch::find (const TimedFrame &frame) const
{
  const bool in_order = shown && !(GST_CLOCK_TIME_IS_VALID (frame.start) && GST_CLOCK_TIME_IS_VALID (shown->start));
  return in_order || is_certain (frame) ? &*shown : nullptr;
}

}  // namespace gst::cl
