/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of frames, and their times. */
#pragma once

#include "filter/operation.hpp"

namespace gst::cl {

/** The number and times of a frame that begins at timestamp. number: for frames without a fixed rate; video: of the frame, or
 *  null. */
GST_CL_API FrameTimes times_in (const GstSegment &segment, GstClockTime timestamp, guint64 number, const GstVideoInfo *video);

/** Numbers the frames of an element in order of playing. Used by one thread. */
class FrameCounter {
public:
  /** At a new segment, and after a flush. */
  void restart (bool flushed);
  /** See times_in(). */
  FrameTimes next (const GstSegment &segment, GstClockTime timestamp, const GstVideoInfo *video);

private:
  guint64 flushes = 0, frames = 0;
  std::optional<guint64> last;
};

}  // namespace gst::cl
