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

  /** Whether the field that is shown as number i is a bottom one. */
  bool is_bottom (unsigned i) const { return (i % 2 == 1) == top_first; }
};

/** Whether a frame of these caps is made of fields that were taken at different times. */
bool is_interlaced (const GstVideoInfo &info, GstBuffer *buffer);

/** The order comes from the caps if they state it, then from the buffer if it is flagged as interlaced; otherwise the top field
 *  is first. */
ShownFields fields_of (const GstVideoInfo &info, GstBuffer *buffer);

/** How long a frame is shown: its own duration if the next frame or the framerate allows it, else until the next frame, or as
 *  long as its fields take at the framerate. next may be null. */
GstClockTime duration_of (const GstVideoInfo &info, GstBuffer *buffer, const ShownFields &fields, GstBuffer *next);

/** Sets the times of part i of n of a frame that is shown for this duration from start on. */
void set_times (GstBuffer *buffer, GstClockTime start, GstClockTime duration, unsigned i, unsigned n);

/** Removes a buffer's DTS, offsets and discontinuity flags, which apply only to the first frame that is made from it. */
void clear_place (GstBuffer *buffer);

/** Flags of a buffer about fields, which do not apply to a frame made from them. */
bool has_field_flags (GstBuffer *buffer);
void clear_field_flags (GstBuffer *buffer);

}  // namespace gst::cl
