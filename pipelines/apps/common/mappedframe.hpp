/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps a video frame for as long as the object lives. */
#pragma once

#include <gst/video/video.h>

class MappedFrame {
public:
  MappedFrame (const GstVideoInfo *info, GstBuffer *buffer, GstMapFlags flags)
  {
    mapped = gst_video_frame_map (&frame, info, buffer, flags);
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
