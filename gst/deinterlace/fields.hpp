/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fields of a frame, their order and times; the caps of frames that are made from fields; and the operation of
 * cldeinterlace. */
#pragma once

#include "filter/operation.hpp"

#include <gst/video/video.h>

namespace gst::cl {

enum class FieldChoice { all, top, bottom, by_rate };

/** Numbers and meanings as in GStreamer's deinterlace. */
enum class DeinterlaceMode { automatic, always, disabled, strict };

enum class DeinterlaceMethod { bwdif, yadif, linear, weave, motion };

struct DeinterlaceSettings {
  DeinterlaceMethod method = DeinterlaceMethod::bwdif;
  FieldChoice fields = FieldChoice::all;
  DeinterlaceMode mode = DeinterlaceMode::automatic;

  /** Whether progressive frames count as interlaced. */
  bool always () const { return mode == DeinterlaceMode::always; }
};

/** How to deinterlace a frame: FrameTimes::job. */
struct FieldJob {
  /** Whether the rows of the bottom field are kept; otherwise the top field's rows are. */
  bool keeps_bottom = false;
  /** Whether this field is the later one of the frame. */
  bool is_second = false;
  /** The frame has only this field, so other frames are not read. */
  bool is_alone = false;
  /** The result is a copy of the frame. */
  bool is_copy = false;
  /** The neighbouring fields are consecutive, and may be read. */
  bool is_between = false;

  /** 0 is the usual job, since programs are built ahead for it. */
  unsigned packed () const { return keeps_bottom | is_second << 1 | is_alone << 2 | is_copy << 3 | !is_between << 4; }
  static FieldJob of (unsigned packed)
  {
    return {(packed & 1) != 0, (packed & 2) != 0, (packed & 4) != 0, (packed & 8) != 0, (packed & 16) == 0};
  }
};

/** The fields of a frame in the order in which they are shown. */
struct ShownFields {
  /** 1 if the frame has one field, 3 if the first one is shown again. */
  unsigned count;
  bool top_first;

  /** Whether field i in order of display is a bottom field. */
  bool is_bottom (unsigned i) const { return (i % 2 == 1) == top_first; }
};

/** The field order of the caps if they have one, else of the buffer if it is flagged as interlaced; otherwise the top field is
 *  first. */
ShownFields fields_of (const GstVideoInfo &info, GstBuffer *buffer);

/** How long a frame is shown: its own duration if that fits the next frame or the framerate; else until the next frame, or as
 *  long as its fields take at the framerate; else as long as the last frame. next and last may be null. */
GstClockTime duration_of (
    const GstVideoInfo &info, GstBuffer *buffer, const ShownFields &fields, GstBuffer *next, GstBuffer *last);

/** Sets the times of part i of n of a frame that is shown from start for this duration. If it is unknown, all parts begin at
 *  start. */
void set_times (GstBuffer *buffer, GstClockTime start, GstClockTime duration, unsigned i, unsigned n);

/** Removes a buffer's DTS, offsets and discontinuity flags, which apply only to the first frame that is made from it. */
void clear_place (GstBuffer *buffer);

/** Whether a buffer has flags about fields, which do not apply to a frame made from it. */
bool has_field_flags (GstBuffer *buffer);
void clear_field_flags (GstBuffer *buffer);

/** Returns the caps of the same video in whole frames. Takes ownership of caps. */
GstCaps *as_frames (GstCaps *caps);
/** Returns these caps, and caps of single fields in system memory for their interlaced frames. Takes ownership of caps. */
GstCaps *with_single_fields (GstCaps *caps);

/** Whether some frames of these caps can be deinterlaced. */
bool can_deinterlace (const GstCaps *caps);
/** The part of caps whose frames can be deinterlaced. The caller owns the result. */
GstCaps *usable_caps (GstCaps *caps);

/** The part of caps whose frames may pass unchanged, in any memory. The caller owns the result. */
GstCaps *passing_caps (GstCaps *caps, const DeinterlaceSettings &settings);

/** Returns the possible caps of the other pad, in any memory, if the pad of that direction has caps. The caller owns the
 *  result. is_stream: in a stream, caps without an interlace-mode are progressive; in a query they leave it open. */
GstCaps *field_caps (GstCaps *caps, GstPadDirection direction, const DeinterlaceSettings &settings, bool is_stream = false);

/** Whether the negotiated caps turn every field into a frame. */
bool has_field_rate (const GstVideoInfo &in, const GstVideoInfo &out, const DeinterlaceSettings &settings);

/** How many frames on either side a method reads. */
inline size_t
reach_of (DeinterlaceMethod method)
{
  return method == DeinterlaceMethod::linear ? 0 : method == DeinterlaceMethod::motion ? 2 : 1;
}

/** Makes a frame from one field by interpolating the rows of the other field. */
OperationType deinterlace_operation ();

}  // namespace gst::cl
