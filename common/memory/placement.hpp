/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks that the planes of a frame lie within its memory. Offsets and strides come from other elements. */
#pragma once

#include "memory/format.hpp"

#include <utility>

namespace gst::cl {

/** The offset of a plane, and the distance between its rows, in bytes. */
struct Placement {
  gsize offset;
  int stride;
};

/** The bytes of a row of a plane, and the number of rows. */
struct PlaneExtent {
  gsize row_bytes, rows;
};

PlaneExtent extent_of (const Format &format, int plane, int frame_width, int frame_height);
inline PlaneExtent
extent_of (const Format &format, int plane, const GstVideoInfo &info)
{
  return extent_of (format, plane, GST_VIDEO_INFO_WIDTH (&info), GST_VIDEO_INFO_HEIGHT (&info));
}

/** GStreamer's stride in bytes: the distance between rows, or between rows of tiles. For tiles that alternate it is negative,
 *  and so invalid, unless the stride equals info's, because the order of the tiles depends on it. */
int stride_in_bytes (const GstVideoInfo &info, int plane, int stride);

/** Whether each buffer has one field (interlace-mode=alternate). */
inline bool
has_single_fields (const GstVideoInfo &info)
{
  return GST_VIDEO_INFO_INTERLACE_MODE (&info) == GST_VIDEO_INTERLACE_MODE_ALTERNATE;
}

/** Describes the picture in one buffer of a stream of info: a frame, or a field as a progressive picture of half the rows. */
GST_CL_API GstVideoInfo picture_in_buffer (const GstVideoInfo &info);

/** The place of a plane, from the buffer's GstVideoMeta, else from info. */
Placement placement_of (GstBuffer *buffer, const GstVideoInfo &info, int plane);

/** The place of a plane of a mapped frame of info in its mapping. Without a GstVideoMeta the whole buffer is one mapping, the
 *  first. */
std::pair<const GstMapInfo &, Placement> placement_in (const GstVideoFrame &frame, const GstVideoInfo &info, int plane);

/** Whether all rows lie within size bytes and do not overlap. The stride may be negative. */
bool lies_within (const Placement &at, const PlaneExtent &extent, gsize size);

/** Whether kernels can address a plane that lies within its memory: they count units of unit_size bytes (Format::unit_size) in
 *  an int. */
bool is_addressable (const Placement &at, const PlaneExtent &extent, int unit_size);

/** Throws Failure (STREAM, FORMAT) if the buffer's GstVideoMeta has another format or a smaller picture than info. GStreamer
 *  would not map such a frame, and would log a critical. */
void require_described (GstBuffer *buffer, const GstVideoInfo &info);

/** Throws Failure (STREAM, FORMAT) if a plane is not within the buffer's memories. */
void require_within (GstBuffer *buffer, const GstVideoInfo &info, const Format &format);

/** Throws Failure (STREAM, FORMAT) if a plane of a mapped frame is not within the mapped bytes. */
GST_CL_API void require_within (const GstVideoFrame &frame, const GstVideoInfo &info, const Format &format);

/** Throws Failure (STREAM, FORMAT) if frames of info are too large for kernels or for GStreamer's pools. */
void require_addressable (const GstVideoInfo &info, const Format &format);

}  // namespace gst::cl
