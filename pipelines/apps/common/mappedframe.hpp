/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps a video frame for as long as the object lives. */
#pragma once

#include <gst/video/video.h>

#include <vector>

class MappedFrame {
public:
  MappedFrame (const GstVideoInfo *info, GstBuffer *buffer, GstMapFlags flags)
  {
    mapped = gst_video_frame_map (&frame, info, buffer, flags);
  }
  /* For reading; null is not mapped, and neither is what is no video. */
  explicit MappedFrame (GstSample *sample)
  {
    GstVideoInfo info;
    mapped = sample && gst_video_info_from_caps (&info, gst_sample_get_caps (sample))
             && gst_video_frame_map (&frame, &info, gst_sample_get_buffer (sample), GST_MAP_READ);
  }
  MappedFrame (const MappedFrame &) = delete;
  MappedFrame &operator= (const MappedFrame &) = delete;
  ~MappedFrame ()
  {
    if (mapped)
      gst_video_frame_unmap (&frame);
  }
  explicit operator bool () const { return mapped; }

  GstVideoFrame frame;

private:
  bool mapped;
};

/* The rows of all planes without the padding after them, which is not written. */
inline std::vector<guint8>
visible_bytes (const GstVideoFrame &frame)
{
  std::vector<guint8> bytes;
  bytes.reserve (GST_VIDEO_INFO_SIZE (&frame.info));
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES (&frame); plane++) {
    gint component[GST_VIDEO_MAX_COMPONENTS];
    gst_video_format_info_component (frame.info.finfo, plane, component);
    const size_t row =
        size_t (GST_VIDEO_FRAME_COMP_WIDTH (&frame, component[0])) * GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, component[0]);
    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, component[0]); y++) {
      const auto *from = static_cast<const guint8 *> (GST_VIDEO_FRAME_PLANE_DATA (&frame, plane))
                         + size_t (y) * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, plane);
      bytes.insert (bytes.end (), from, from + row);
    }
  }
  return bytes;
}
