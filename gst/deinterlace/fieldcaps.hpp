/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps of frames that are made from fields. */
#pragma once

#include "deinterlace/fields.hpp"

namespace gst::cl {

/** Numbers and meanings equal those of GStreamer's deinterlace. */
enum class DeinterlaceMode { automatic, always, disabled, strict };

enum class DeinterlaceMethod { bwdif, yadif, linear, weave, motion };

struct DeinterlaceSettings {
  DeinterlaceMethod method = DeinterlaceMethod::bwdif;
  FieldChoice fields = FieldChoice::all;
  DeinterlaceMode mode = DeinterlaceMode::automatic;

  /** Whether progressive frames count as interlaced. */
  bool always () const { return mode == DeinterlaceMode::always; }
};

/** Whether the caps describe video of one field per buffer. */
bool has_single_fields (const GstCaps *caps);
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

}  // namespace gst::cl
