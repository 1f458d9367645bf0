/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "split.hpp"
#include "mappedframe.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace studio {

namespace {

/* more than the latency of any filter, in frames */
constexpr size_t memory = 40;

constexpr auto watched = GstPadProbeType (GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);

}  // namespace

Split::Split (GstPad *before_pad, GstPad *after_pad)
{
  before.pad = Ref<GstPad> (before_pad);
  after.pad = Ref<GstPad> (after_pad);
  before.buffers = gst_pad_add_probe (before_pad, watched, saw_before, this, nullptr);
  after.buffers = gst_pad_add_probe (after_pad, watched, saw_after, this, nullptr);
}

Split::~Split ()
{
  gst_pad_remove_probe (before.pad.get (), before.buffers);
  gst_pad_remove_probe (after.pad.get (), after.buffers);
}

void
Split::set_position (double value)
{
  const std::lock_guard lock (mutex);
  share = std::clamp (value, 0.0, 1.0);
  if (share == 0)
    originals.clear ();
}

double
Split::position () const
{
  const std::lock_guard lock (mutex);
  return share;
}

guint64
Split::frames () const
{
  const std::lock_guard lock (mutex);
  return count;
}

void
Split::size (int &width, int &height) const
{
  const std::lock_guard lock (mutex);
  width = after.known ? after.info.width : 0;
  height = after.known ? after.info.height : 0;
}

void
Split::shape (double &width, double &height) const
{
  const std::lock_guard lock (mutex);
  width = after.known ? double (after.info.width) * after.info.par_n / after.info.par_d : 0;
  height = after.known ? after.info.height : 0;
}

Sample
Split::latest () const
{
  const std::lock_guard lock (mutex);
  if (!last || !after.known)
    return nullptr;
  const Caps caps (gst_video_info_to_caps (&after.info));
  return Sample (gst_sample_new (last.get (), caps.get (), nullptr, nullptr));
}

/* Returns true where it was an event. */
bool
Split::take_caps (Side &side, GstPadProbeInfo *info)
{
  if (!(info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM))
    return false;
  GstEvent *event = gst_pad_probe_info_get_event (info);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    GstCaps *caps = nullptr;
    gst_event_parse_caps (event, &caps);
    side.known = gst_video_info_from_caps (&side.info, caps);
  }
  return true;
}

GstPadProbeReturn
Split::saw_before (GstPad *, GstPadProbeInfo *info, gpointer data)
{
  auto *self = static_cast<Split *> (data);
  const std::lock_guard lock (self->mutex);
  if (take_caps (self->before, info)) {
    self->converter.reset ();
    if (GST_EVENT_TYPE (gst_pad_probe_info_get_event (info)) == GST_EVENT_CAPS)
      self->originals.clear ();
    return GST_PAD_PROBE_OK;
  }
  if (self->share == 0)
    return GST_PAD_PROBE_OK;
  self->originals.emplace_back (gst_buffer_ref (gst_pad_probe_info_get_buffer (info)));
  if (self->originals.size () > memory)
    self->originals.pop_front ();
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn
Split::saw_after (GstPad *, GstPadProbeInfo *info, gpointer data)
{
  auto *self = static_cast<Split *> (data);
  const std::lock_guard lock (self->mutex);
  if (take_caps (self->after, info)) {
    self->converter.reset ();
    if (GST_EVENT_TYPE (gst_pad_probe_info_get_event (info)) == GST_EVENT_CAPS)
      self->last.reset ();
    return GST_PAD_PROBE_OK;
  }
  ++self->count;
  GstBuffer *shown = gst_pad_probe_info_get_buffer (info);
  self->last.reset (gst_buffer_ref (shown));
  const Buffer original = self->share > 0 ? self->take_original (GST_BUFFER_PTS (shown)) : nullptr;
  if (!original || original.get () == shown)
    return GST_PAD_PROBE_OK;
  shown = gst_buffer_make_writable (shown);
  GST_PAD_PROBE_INFO_DATA (info) = shown;
  self->paste (original.get (), shown);
  return GST_PAD_PROBE_OK;
}

/* The frame of that time; those before it have passed or were dropped. */
Buffer
Split::take_original (GstClockTime time)
{
  const auto found = std::ranges::find_if (originals, [time] (const Buffer &b) { return GST_BUFFER_PTS (b.get ()) == time; });
  if (found == originals.end ())
    return nullptr;
  Buffer original = std::move (*found);
  originals.erase (originals.begin (), found + 1);
  return original;
}

void
Split::paste (GstBuffer *original, GstBuffer *shown)
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
  const Buffer converted (converter ? gst_buffer_new_allocate (nullptr, GST_VIDEO_INFO_SIZE (&after.info), nullptr) : nullptr);
  if (!converted)
    return;
  MappedFrame same (&after.info, converted.get (), GST_MAP_READWRITE);
  if (!same)
    return;
  gst_video_converter_frame (converter.get (), &from.frame, &same.frame);
  copy_columns (same.frame, to.frame);
}

void
Split::copy_columns (const GstVideoFrame &from, const GstVideoFrame &to) const
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

}  // namespace studio
