/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which fields a frame shows, in which order and at which times. */
#pragma once

#include <gst/video/video.h>

namespace gst::cl {

enum class FieldChoice { all, top, bottom, by_rate };

/** The fields of a frame in the order in which they are shown. */
struct ShownFields {
  /** 1 if the frame has one field, 3 if the first one is shown again. */
  unsigned count;
  bool top_first;

  /** Whether field i in order of display is a bottom field. */
  bool is_bottom (unsigned i) const { return (i % 2 == 1) == top_first; }
};

/** Whether the fields of a frame were captured at different times. */
bool is_interlaced (const GstVideoInfo &info, GstBuffer *buffer);

/** The field order of the caps if they have one, else of the buffer if it is flagged as interlaced; otherwise the top field is
 *  first. */
ShownFields fields_of (const GstVideoInfo &info, GstBuffer *buffer);

/** How long a frame is shown: its own duration if that fits the next frame or the framerate; else until the next frame, or as
 *  long as its fields take at the framerate. next may be null. */
GstClockTime duration_of (const GstVideoInfo &info, GstBuffer *buffer, const ShownFields &fields, GstBuffer *next);

/** Sets the times of part i of n of a frame that is shown from start for this duration. */
void set_times (GstBuffer *buffer, GstClockTime start, GstClockTime duration, unsigned i, unsigned n);

/** Removes a buffer's DTS, offsets and discontinuity flags, which apply only to the first frame that is made from it. */
void clear_place (GstBuffer *buffer);

/** Whether a buffer has flags about fields, which do not apply to a frame made from it. */
bool has_field_flags (GstBuffer *buffer);
void clear_field_flags (GstBuffer *buffer);

}  // namespace gst::cl
