/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/timecodes.hpp"

#include <cmath>
#include <cstdlib>

namespace gst::cl {

void
TimeCodeCounter::count (GstBuffer *made, GstBuffer *source, gint64 number)
{
  GstVideoTimeCodeMeta *meta = gst_buffer_get_video_time_code_meta (made);
  const GstVideoTimeCodeMeta *from = gst_buffer_get_video_time_code_meta (source);
  if (!meta || !from)
    return restart ();
  GstVideoTimeCode &code = meta->tc;
  const gint64 frames = gint64 (gst_video_time_code_frames_since_daily_jam (&from->tc));
  const GstClockTime time = GST_BUFFER_PTS (source);
  if (last && last->fps_n == code.config.fps_n && last->fps_d == code.config.fps_d) {
    const double passed = double (GST_CLOCK_DIFF (last->source_time, time)) / GST_SECOND;
    const double expected = passed * from->tc.config.fps_n / from->tc.config.fps_d;
    constexpr double tolerance = 1.5; /* times are rounded, and a source may be late by a frame */
    if (std::abs (double (frames - last->source_frames) - expected) < tolerance) {
      code.hours = last->hours, code.minutes = last->minutes, code.seconds = last->seconds, code.frames = last->frames;
      gst_video_time_code_add_frames (&code, number - last->number);
    }
  }
  last = {code.hours, code.minutes, code.seconds, code.frames, code.config.fps_n, code.config.fps_d, number, frames, time};
}

}  // namespace gst::cl
