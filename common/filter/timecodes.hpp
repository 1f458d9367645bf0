/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Time codes of results whose framerate differs from their sources'. */
#pragma once

#include <gst/cl/gstcl-prelude.h>
#include <gst/video/video.h>

#include <optional>

namespace gst::cl {

/** Numbers results one by one, because a result between two sources has no time code of its own. Used by one thread. */
class GST_CL_API TimeCodeCounter {
public:
  /** Forgets the last result, as at the start of a segment. */
  void restart () { last.reset (); }
  /** Changes the time code of a result to the one that follows the last result's, unless the sources' time codes jump. The
   *  result has the time code that share_metadata () makes from its source's. number: of the result, in the order of time. */
  void count (GstBuffer *made, GstBuffer *source, gint64 number);

private:
  struct Result {
    guint hours, minutes, seconds, frames, fps_n, fps_d;
    gint64 number, source_frames;
    GstClockTime source_time;
  };

  std::optional<Result> last;
};

}  // namespace gst::cl
