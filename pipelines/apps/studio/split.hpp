/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Before and after in one picture: to the left of the split, frames are shown unfiltered. Frames are matched by their times. */
#pragma once

#include "../common/glib.hpp"

#include <deque>
#include <gst/video/video.h>
#include <mutex>

namespace studio {

struct FrameSize {
  int width = 0, height = 0;
};

class Split {
public:
  /* before: a pad upstream of the filters; after: a pad downstream. */
  Split (GstPad *before, GstPad *after);
  ~Split ();
  Split (const Split &) = delete;
  Split &operator= (const Split &) = delete;

  /* The share of the width, from the left, that shows the unfiltered picture; 0 for no split. */
  void set_position (double share);
  double position () const;

  /* The number of frames so far, and their size; 0 before the first. */
  guint64 frames () const;
  FrameSize size () const;
  /* The size with square pixels. */
  std::pair<double, double> shape () const;
  /* The last filtered frame, without the split; null before the first. */
  Sample latest () const;

private:
  using Converter = std::unique_ptr<GstVideoConverter, Releases<gst_video_converter_free>>;
  struct Side {
    Ref<GstPad> pad;
    gulong buffers = 0;
    GstVideoInfo info = {};
    bool known = false;
  };

  void watch (Side &side, void (Split::*saw) (GstPadProbeInfo *info));
  void saw_before (GstPadProbeInfo *info);
  void saw_after (GstPadProbeInfo *info);
  void take_caps (Side &side, GstEvent *event);
  Buffer take_original (GstClockTime time);
  void paste (GstBuffer *original, GstBuffer *shown);
  void copy_columns (const GstVideoFrame &from, const GstVideoFrame &to) const;

  mutable std::mutex mutex;
  Side before, after;
  std::deque<Buffer> originals;
  Converter converter;
  Buffer last;
  double share = 0;
  guint64 count = 0;
};

}  // namespace studio
