/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps of frames that are made from fields. */
#pragma once

#include "deinterlace/fields.hpp"

namespace gst::cl {

/** Numbers and meaning are those of GStreamer's deinterlace. */
enum class DeinterlaceMode { automatic, always, disabled, strict };

/** What cldeinterlace is set to, as far as caps depend on it. */
struct FieldSettings {
  FieldChoice fields = FieldChoice::all;
  DeinterlaceMode mode = DeinterlaceMode::automatic;

  /** Whether progressive frames count as interlaced. */
  bool always () const { return mode == DeinterlaceMode::always; }
};

/** Whether they are of video of one field a buffer. */
bool has_single_fields (const GstCaps *caps);
/** The same caps with such video as if its buffers were frames. Takes caps. */
GstCaps *as_frames (GstCaps *caps);
/** These caps, and those of single fields of their interlaced frames in system memory. Takes caps. */
GstCaps *with_single_fields (GstCaps *caps);

/** Whether some frames of these caps can be deinterlaced. */
bool can_deinterlace (const GstCaps *caps);
/** The part of caps whose frames can be deinterlaced. The caller's. */
GstCaps *usable_caps (GstCaps *caps);

/** The part of caps whose frames may pass as they are, in any memory. The caller's. */
GstCaps *passing_caps (GstCaps *caps, const FieldSettings &settings);

/** What the other pad can have where this one, of that direction, has caps; without regard to memory. The caller's.
 *  is_stream: the caps are those of a stream, which without an interlace-mode is progressive; those of a query leave it open. */
GstCaps *field_caps (GstCaps *caps, GstPadDirection direction, const FieldSettings &settings, bool is_stream = false);

/** Whether every field becomes a frame with caps that were negotiated. */
bool has_field_rate (const GstVideoInfo &in, const GstVideoInfo &out, const FieldSettings &settings);

}  // namespace gst::cl
