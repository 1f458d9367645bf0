/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory/placement.hpp"

#include "core/error.hpp"

#include <cstdlib>
#include <limits>

namespace gst::cl {

namespace {

constexpr guint64 most_samples = std::numeric_limits<int>::max ();

/* The distance between the beginnings of the first and the last row. It cannot overflow: neither factor has more than 31
 * bits. */
guint64
distance (const Placement &at, const PlaneExtent &extent)
{
  return (extent.rows - 1) * guint64 (std::abs (gint64 (at.stride)));
}

Failure
misplaced (int plane, const Placement &at, const PlaneExtent &extent, gsize size)
{
  return Failure (GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "A video frame with the layout of its caps or GstVideoMeta does not fit into its buffer. The element that made it is at "
      "fault.",
      "plane " + std::to_string (plane) + ": " + std::to_string (extent.rows) + " rows of " + std::to_string (extent.row_bytes)
          + " bytes at offset " + std::to_string (at.offset) + ", stride " + std::to_string (at.stride) + ", in "
          + std::to_string (size) + " bytes");
}

}  // namespace

PlaneExtent
extent_of (const Format &format, int plane, int frame_width, int frame_height)
{
  const PlaneLayout &layout = format.planes[plane];
  return {gsize (plane_width (layout, frame_width)) * layout.samples_per_pixel * format.sample_size (),
      gsize (plane_height (layout, frame_height))};
}

int
stride_in_bytes (const GstVideoInfo &info, int plane, int stride)
{
  if (!(GST_VIDEO_FORMAT_INFO_FLAGS (info.finfo) & GST_VIDEO_FORMAT_FLAG_TILED))
    return stride;
  const PlaneLayout::Tile &tile = find_format (GST_VIDEO_INFO_FORMAT (&info))->planes[plane].tile;
  if (tile.zigzag && stride != info.stride[plane])
    return -1;
  return GST_VIDEO_TILE_X_TILES (stride) * tile.bytes ();
}

GstVideoInfo
picture_in_buffer (const GstVideoInfo &info)
{
  GstVideoInfo picture = info;
  if (has_single_fields (info)) {
    picture.height = GST_VIDEO_INFO_FIELD_HEIGHT (&info);
    picture.interlace_mode = GST_VIDEO_INTERLACE_MODE_PROGRESSIVE;
  }
  return picture;
}

Placement
placement_of (GstBuffer *buffer, const GstVideoInfo &info, int plane)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  return {meta ? meta->offset[plane] : info.offset[plane],
      stride_in_bytes (info, plane, meta ? meta->stride[plane] : info.stride[plane])};
}

std::pair<const GstMapInfo &, Placement>
placement_in (const GstVideoFrame &frame, const GstVideoInfo &info, int plane)
{
  const GstMapInfo &map = frame.map[plane].memory ? frame.map[plane] : frame.map[0];
  const gsize offset = gsize (static_cast<const guint8 *> (frame.data[plane]) - map.data);
  return {map, {offset, stride_in_bytes (info, plane, frame.info.stride[plane])}};
}

bool
lies_within (const Placement &at, const PlaneExtent &extent, gsize size)
{
  if (extent.row_bytes > size || at.offset > size - extent.row_bytes)
    return false;
  if (extent.rows == 1)
    return true;
  if (guint64 (std::abs (gint64 (at.stride))) < extent.row_bytes)
    return false;
  return distance (at, extent) <= (at.stride < 0 ? at.offset : size - extent.row_bytes - at.offset);
}

bool
is_addressable (const Placement &at, const PlaneExtent &extent, int unit_size)
{
  return at.stride >= 0 && at.stride % unit_size == 0 && at.offset % unit_size == 0 && at.offset / unit_size <= most_samples
         && (at.offset + distance (at, extent) + extent.row_bytes) / unit_size <= most_samples;
}

void
require_described (GstBuffer *buffer, const GstVideoInfo &info)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  const guint width = guint (GST_VIDEO_INFO_WIDTH (&info)), height = guint (GST_VIDEO_INFO_HEIGHT (&info));
  if (!meta || (meta->format == GST_VIDEO_INFO_FORMAT (&info) && meta->width >= width && meta->height >= height))
    return;
  const auto name = [] (GstVideoFormat format, guint w, guint h) {
    return std::to_string (w) + "x" + std::to_string (h) + " " + gst_video_format_to_string (format);
  };
  throw Failure (GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "A video frame has another format or size than its caps. The element that made it is at fault.",
      "caps: " + name (GST_VIDEO_INFO_FORMAT (&info), width, height)
          + ", GstVideoMeta: " + name (meta->format, meta->width, meta->height));
}

void
require_within (GstBuffer *buffer, const GstVideoInfo &info, const Format &format)
{
  const gsize size = gst_buffer_get_size (buffer);
  for (int i = 0; i < format.n_planes; i++) {
    const Placement at = placement_of (buffer, info, i);
    const PlaneExtent extent = extent_of (format, i, info);
    if (!lies_within (at, extent, size))
      throw misplaced (i, at, extent, size);
  }
}

void
require_within (const GstVideoFrame &frame, const GstVideoInfo &info, const Format &format)
{
  for (int i = 0; i < format.n_planes; i++) {
    const auto [map, at] = placement_in (frame, info, i);
    if (!map.data)
      continue; /* a meta with its own map function, which gives no size */
    const PlaneExtent extent = extent_of (format, i, info);
    if (!lies_within (at, extent, map.size))
      throw misplaced (i, at, extent, map.size);
  }
}

void
require_addressable (const GstVideoInfo &info, const Format &format)
{
  constexpr guint64 margin = 1024;                                   /* scratch planes of kernels have a border */
  constexpr guint64 most_bytes = std::numeric_limits<guint>::max (); /* the limit of GstBufferPool */
  for (int i = 0; i < format.n_planes; i++) {
    const Placement at{info.offset[i], stride_in_bytes (info, i, info.stride[i])};
    const PlaneExtent extent = extent_of (format, i, info);
    const guint64 samples = (extent.row_bytes / format.sample_size () + margin) * (extent.rows + margin);
    const std::string frames = "Video frames of " + std::to_string (info.width) + "x" + std::to_string (info.height) + " "
                               + gst_video_format_to_string (format.id);
    const bool is_palette = i > 0 && format.packing == Packing::palette; /* one row, whose stride means nothing */
    if (!is_palette && guint64 (std::abs (gint64 (at.stride))) < extent.row_bytes)
      throw Failure (GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
          frames + " have no room for the last pixels of a row in GStreamer's layout. Take an even width.",
          "rows of " + std::to_string (extent.row_bytes) + " bytes, stride " + std::to_string (at.stride));
    if (samples > most_samples || info.size > most_bytes || !lies_within (at, extent, info.size)
        || !is_addressable (at, extent, format.sample_size ()))
      throw Failure (GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, frames + " are too large for OpenCL elements.",
          "plane " + std::to_string (i) + " has " + std::to_string (extent.rows) + " rows of "
              + std::to_string (extent.row_bytes) + " bytes at offset " + std::to_string (at.offset) + ", stride "
              + std::to_string (at.stride) + ", a frame " + std::to_string (info.size) + " bytes; kernels count to "
              + std::to_string (most_samples) + " samples, GStreamer's pools to " + std::to_string (most_bytes) + " bytes");
  }
}

}  // namespace gst::cl
