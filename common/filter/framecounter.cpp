/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/framecounter.hpp"

namespace gst::cl {

namespace {

bool
has_rate (const GstVideoInfo *video, GstClockTime timestamp)
{
  return video && GST_VIDEO_INFO_FPS_N (video) > 0 && GST_CLOCK_TIME_IS_VALID (timestamp);
}

/* Whether the frame of this number begins within three quarters of a frame from timestamp. */
bool
is_near (const GstVideoInfo &video, GstClockTime timestamp, guint64 number)
{
  const guint64 n = guint64 (GST_VIDEO_INFO_FPS_N (&video)), d = guint64 (GST_VIDEO_INFO_FPS_D (&video));
  const GstClockTime time = gst_util_uint64_scale (number, d * GST_SECOND, n);
  return std::max (time, timestamp) - std::min (time, timestamp) <= d * GST_SECOND / n / 4 * 3;
}

}  // namespace

/* Frames are numbered from their time stamps if possible, so that a seek gives a frame the same number. */
FrameTimes
times_in (const GstSegment &segment, GstClockTime timestamp, guint64 number, const GstVideoInfo *video)
{
  FrameTimes times{.number = number, .timestamp = timestamp};
  if (!GST_CLOCK_TIME_IS_VALID (timestamp))
    return times;
  if (segment.format == GST_FORMAT_TIME) {
    times.stream_time = gst_segment_to_stream_time (&segment, GST_FORMAT_TIME, timestamp);
    times.running_time = gst_segment_to_running_time (&segment, GST_FORMAT_TIME, timestamp);
  }
  if (has_rate (video, timestamp))
    times.number = gst_util_uint64_scale_round (
        timestamp, guint64 (GST_VIDEO_INFO_FPS_N (video)), GST_VIDEO_INFO_FPS_D (video) * GST_SECOND);
  return times;
}

void
FrameCounter::restart (bool flushed)
{
  flushes += flushed;
  frames = 0;
  last.reset ();
}

/* The times of a camera's frames vary, so two of them may round to the same number: a frame near the expected time has the next
 * one. */
FrameTimes
FrameCounter::next (const GstSegment &segment, GstClockTime timestamp, const GstVideoInfo *video)
{
  FrameTimes times = times_in (segment, timestamp, frames++, video);
  times.flushes = flushes;
  if (last && (segment.rate > 0 || *last > 0) && has_rate (video, timestamp)) {
    const guint64 expected = segment.rate > 0 ? *last + 1 : *last - 1;
    if (is_near (*video, timestamp, expected))
      times.number = expected;
  }
  last = times.number;
  return times;
}

}  // namespace gst::cl
