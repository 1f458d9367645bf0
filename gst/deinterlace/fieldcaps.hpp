/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps of frames that are made from fields. */
#pragma once

#include "deinterlace/fields.hpp"

namespace gst::cl {

/** Numbers and meaning are those of GStreamer's deinterlace. */
enum class DeinterlaceMode { automatic, always, disabled, strict };

/** The settings of cldeinterlace on which caps depend. */
struct FieldSettings {
  FieldChoice fields = FieldChoice::all;
  DeinterlaceMode mode = DeinterlaceMode::automatic;

  /** Whether progressive frames count as interlaced. */
  bool always () const { return mode == DeinterlaceMode::always; }
};

/** Whether the caps have video of one field a buffer. */
bool has_single_fields (const GstCaps *caps);
/** The caps of the same video with frames in its buffers. Takes ownership of caps. */
GstCaps *as_frames (GstCaps *caps);
/** These caps, and those of single fields of their interlaced frames in system memory. Takes caps. */
GstCaps *with_single_fields (GstCaps *caps);

/** Whether some frames of these caps can be deinterlaced. */
bool can_deinterlace (const GstCaps *caps);
/** The part of caps whose frames can be deinterlaced. The caller owns the result. */
GstCaps *usable_caps (GstCaps *caps);

/** The part of caps whose frames may pass unchanged, in any memory. The caller owns the result. */
GstCaps *passing_caps (GstCaps *caps, const FieldSettings &settings);

/** The possible caps of the other pad if the pad of that direction has caps, for any memory. The caller owns the result.
 *  is_stream: caps of a stream without an interlace-mode are progressive; caps of a query leave it open. */
GstCaps *field_caps (GstCaps *caps, GstPadDirection direction, const FieldSettings &settings, bool is_stream = false);

/** Whether every field becomes a frame with caps that were negotiated. */
bool has_field_rate (const GstVideoInfo &in, const GstVideoInfo &out, const FieldSettings &settings);

}  // namespace gst::cl
