/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the planes of a frame lie where their buffer says. Offsets and strides come from other elements. */
#pragma once

#include "memory/format.hpp"

namespace gst::cl {

/** Where a plane begins and how far its rows are apart, in bytes. */
struct Placement {
  gsize offset;
  int stride;
};

/** The rows of a plane, in bytes. */
struct PlaneExtent {
  gsize row_bytes, rows;
};

PlaneExtent extent_of (const Format &format, int plane, int frame_width, int frame_height);

/** A stride as GStreamer has it, in bytes: from a row of a plane to the next, or from one row of tiles to the next. Negative, which
 *  no plane of tiles is, where tiles that take turns are more than a frame of info needs: their order would be another one. */
int stride_in_bytes (const GstVideoInfo &info, int plane, int stride);

/** Whether each buffer has one field (interlace-mode=alternate). */
inline bool
has_single_fields (const GstVideoInfo &info)
{
  return GST_VIDEO_INFO_INTERLACE_MODE (&info) == GST_VIDEO_INTERLACE_MODE_ALTERNATE;
}

/** What a buffer holds by caps of that info: a frame, or a field, which is a progressive picture of half the rows. */
GST_CL_API GstVideoInfo picture_in_buffer (const GstVideoInfo &info);

/** By the buffer's GstVideoMeta, else by info. */
Placement placement_of (GstBuffer *buffer, const GstVideoInfo &info, int plane);

/** Whether all rows lie in size bytes and apart from each other. Rows may go upwards. */
bool lies_within (const Placement &at, const PlaneExtent &extent, gsize size);

/** Whether kernels, which count units of so many bytes in an int (Format::unit_size), can take a plane that lies within its memory
 *  as it is. */
bool is_addressable (const Placement &at, const PlaneExtent &extent, int unit_size);

/** Throws Failure (STREAM, FORMAT) where a GstVideoMeta tells of another format, or of a smaller picture; GStreamer maps no such
 *  frame, and takes it for a mistake of ours. */
void require_described (GstBuffer *buffer, const GstVideoInfo &info);

/** Throws Failure (STREAM, FORMAT) where a plane is not within the bytes of all memories of its buffer. */
void require_within (GstBuffer *buffer, const GstVideoInfo &info, const Format &format);

/** Throws Failure (STREAM, FORMAT) where a mapped frame is not within what was mapped of it. */
GST_CL_API void require_within (const GstVideoFrame &frame, const GstVideoInfo &info, const Format &format);

/** Throws Failure (STREAM, FORMAT) where frames of info are too large for kernels, or for GStreamer's pools. */
void require_addressable (const GstVideoInfo &info, const Format &format);

}  // namespace gst::cl
