/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Before and after in one picture: to the left of the split, frames are shown unfiltered. Frames are matched by their times. */
#pragma once

#include "../common/glib.hpp"
#include "../common/mappedframe.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
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
  Split (GstPad *before_pad, GstPad *after_pad)
  {
    before.pad = Ref<GstPad> (before_pad);
    after.pad = Ref<GstPad> (after_pad);
    watch (before, &Split::saw_before);
    watch (after, &Split::saw_after);
  }

  ~Split ()
  {
    gst_pad_remove_probe (before.pad.get (), before.buffers);
    gst_pad_remove_probe (after.pad.get (), after.buffers);
  }

  Split (const Split &) = delete;
  Split &operator= (const Split &) = delete;

  /* The share of the width, from the left, that shows the unfiltered picture; 0 for no split. */
  void set_position (double value)
  {
    const std::lock_guard lock (mutex);
    share = std::clamp (value, 0.0, 1.0);
    if (share == 0)
      originals.clear ();
  }

  double position () const
  {
    const std::lock_guard lock (mutex);
    return share;
  }

  /* The number of frames so far, and their size; 0 before the first. */
  guint64 frames () const
  {
    const std::lock_guard lock (mutex);
    return count;
  }

  FrameSize size () const
  {
    const std::lock_guard lock (mutex);
    return after.known ? FrameSize{after.info.width, after.info.height} : FrameSize ();
  }

  /* The size with square pixels. */
  std::pair<double, double> shape () const
  {
    const std::lock_guard lock (mutex);
    if (!after.known)
      return {0, 0};
    return {double (after.info.width) * after.info.par_n / after.info.par_d, after.info.height};
  }

  /* The last filtered frame, without the split; null before the first. */
  Sample latest () const
  {
    const std::lock_guard lock (mutex);
    if (!last || !after.known)
      return nullptr;
    const Caps caps (gst_video_info_to_caps (&after.info));
    return Sample (gst_sample_new (last.get (), caps.get (), nullptr, nullptr));
  }

private:
  /* in frames; more than any filter's latency */
  static constexpr size_t memory = 40;

  using Converter = std::unique_ptr<GstVideoConverter, Releases<gst_video_converter_free>>;
  struct Side {
    Ref<GstPad> pad;
    gulong buffers = 0;
    GstVideoInfo info = {};
    bool known = false;
  };

  /* saw: called with each frame. */
  void watch (Side &side, void (Split::*saw) (GstPadProbeInfo *info))
  {
    constexpr int watched = GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM;
    side.buffers = add_probe (side.pad.get (), watched, [this, &side, saw] (GstPadProbeInfo *info) {
      const std::lock_guard lock (mutex);
      if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM)
        take_caps (side, gst_pad_probe_info_get_event (info));
      else
        (this->*saw) (info);
      return GST_PAD_PROBE_OK;
    });
  }

  void saw_before (GstPadProbeInfo *info)
  {
    if (share == 0)
      return;
    originals.emplace_back (gst_buffer_ref (gst_pad_probe_info_get_buffer (info)));
    if (originals.size () > memory)
      originals.pop_front ();
  }

  void saw_after (GstPadProbeInfo *info)
  {
    ++count;
    GstBuffer *shown = gst_pad_probe_info_get_buffer (info);
    last.reset (gst_buffer_ref (shown));
    const Buffer original = share > 0 ? take_original (GST_BUFFER_PTS (shown)) : nullptr;
    if (!original || original.get () == shown)
      return;
    shown = gst_buffer_make_writable (shown);
    GST_PAD_PROBE_INFO_DATA (info) = shown;
    paste (original.get (), shown);
  }

  void take_caps (Side &side, GstEvent *event)
  {
    converter.reset ();
    if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
      return;
    GstCaps *caps = nullptr;
    gst_event_parse_caps (event, &caps);
    side.known = gst_video_info_from_caps (&side.info, caps);
    if (&side == &before)
      originals.clear ();
    else
      last.reset ();
  }

  /* The frame with this time; earlier frames have passed or were dropped. */
  Buffer take_original (GstClockTime time)
  {
    const auto found = std::ranges::find_if (originals, [time] (const Buffer &b) { return GST_BUFFER_PTS (b.get ()) == time; });
    if (found == originals.end ())
      return nullptr;
    Buffer original = std::move (*found);
    originals.erase (originals.begin (), found + 1);
    return original;
  }

  void paste (GstBuffer *original, GstBuffer *shown)
  {
    const bool same_size = before.info.width == after.info.width && before.info.height == after.info.height;
    if (!before.known || !after.known || !same_size)
      return;
    const MappedFrame to (&after.info, shown, GST_MAP_READWRITE);
    const MappedFrame from (&before.info, original, GST_MAP_READ);
    if (!to || !from)
      return;
    if (GST_VIDEO_INFO_FORMAT (&before.info) == GST_VIDEO_INFO_FORMAT (&after.info)) {
      copy_columns (from.frame, to.frame);
      return;
    }
    if (!converter)
      converter.reset (gst_video_converter_new (&before.info, &after.info, nullptr));
    const Buffer converted (
        converter ? gst_buffer_new_allocate (nullptr, GST_VIDEO_INFO_SIZE (&after.info), nullptr) : nullptr);
    if (!converted)
      return;
    MappedFrame same (&after.info, converted.get (), GST_MAP_READWRITE);
    if (!same)
      return;
    gst_video_converter_frame (converter.get (), &from.frame, &same.frame);
    copy_columns (same.frame, to.frame);
  }

  void copy_columns (const GstVideoFrame &from, const GstVideoFrame &to) const
  {
    const auto *info = &after.info;
    const int columns = int (std::lround (share * info->width));
    for (guint plane = 0; plane < GST_VIDEO_INFO_N_PLANES (info); plane++) {
      gint components[GST_VIDEO_MAX_COMPONENTS];
      gst_video_format_info_component (info->finfo, plane, components);
      const int c = components[0];
      const size_t bytes =
          size_t (GST_VIDEO_FORMAT_INFO_SCALE_WIDTH (info->finfo, c, columns)) * GST_VIDEO_FORMAT_INFO_PSTRIDE (info->finfo, c);
      for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&to, c); y++)
        std::memcpy (static_cast<guint8 *> (to.data[plane]) + y * GST_VIDEO_FRAME_PLANE_STRIDE (&to, plane),
            static_cast<const guint8 *> (from.data[plane]) + y * GST_VIDEO_FRAME_PLANE_STRIDE (&from, plane), bytes);
    }
  }

  mutable std::mutex mutex;
  Side before, after;
  std::deque<Buffer> originals;
  Converter converter;
  Buffer last;
  double share = 0;
  guint64 count = 0;
};

}  // namespace studio
