/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/mask.hpp"

#include "core/debug.hpp"
#include "core/ref.hpp"

#include <gst/cl/gstclmemory.h>

#include <algorithm>
#include <cmath>
#include <optional>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clmask", "masks of OpenCL filters">)

namespace gst::cl {

bool
MaskHolder::is_due (const TimedMask &mask, GstClockTime time)
{
  return mask.from == GST_CLOCK_TIME_NONE || (time != GST_CLOCK_TIME_NONE && mask.from <= time);
}

void
MaskHolder::drop_old ()
{
  while (masks.size () > kept && is_due (masks[kept], reached))
    masks.pop_front ();
}

bool
MaskHolder::push (MaskRef mask, GstClockTime running_time)
{
  std::unique_lock lock (mutex);
  const auto goes_back = [&] { return running_time < masks.back ().from && masks.back ().from != GST_CLOCK_TIME_NONE; };
  changed.wait (lock, [&] { return flushing || masks.empty () || is_due (masks.back (), next) || goes_back (); });
  if (flushing)
    return false;
  if (!masks.empty () && goes_back ())
    masks.back ().from = GST_CLOCK_TIME_NONE;
  masks.push_back ({std::move (mask), running_time});
  drop_old ();
  return true;
}

/* Times may be rounded, so masks may begin a quarter of a frame late. */
MaskRef
MaskHolder::mask_for (const GstSegment &segment, GstBuffer *frame)
{
  const bool has_time = segment.format == GST_FORMAT_TIME && GST_BUFFER_TIMESTAMP_IS_VALID (frame);
  const GstClockTime start =
      has_time ? gst_segment_to_running_time (&segment, GST_FORMAT_TIME, GST_BUFFER_TIMESTAMP (frame)) : GST_CLOCK_TIME_NONE;
  const double length =
      GST_BUFFER_DURATION_IS_VALID (frame) ? double (GST_BUFFER_DURATION (frame)) / std::abs (segment.rate) : 0;
  const std::lock_guard lock (mutex);
  const GstClockTime time = start == GST_CLOCK_TIME_NONE || seeking ? GST_CLOCK_TIME_NONE : start + GstClockTime (length / 4);
  if (time != GST_CLOCK_TIME_NONE && (reached == GST_CLOCK_TIME_NONE || time > reached)) {
    reached = time;
    next = time + GstClockTime (length);
  }
  if (!has_time && !masks.empty ())
    masks.back ().from = GST_CLOCK_TIME_NONE;
  drop_old ();
  changed.notify_all ();
  const auto last =
      std::ranges::find_if (masks.rbegin (), masks.rend (), [=] (const TimedMask &each) { return is_due (each, time); });
  return last != masks.rend () ? last->mask : nullptr;
}

void
MaskHolder::set_flushing (bool wanted)
{
  const std::lock_guard lock (mutex);
  flushing = wanted;
  masks.clear ();
  changed.notify_all ();
}

void
MaskHolder::forget_time ()
{
  for (TimedMask &each : masks)
    if (is_due (each, reached))
      each.from = GST_CLOCK_TIME_NONE;
  reached = next = GST_CLOCK_TIME_NONE;
}

void
MaskHolder::restart ()
{
  const std::lock_guard lock (mutex);
  forget_time ();
  seeking = false;
}

void
MaskHolder::end ()
{
  const std::lock_guard lock (mutex);
  reached = next = GST_CLOCK_TIME_NONE - 1;
  changed.notify_all ();
}

void
MaskHolder::set_pad (GstPad *wanted)
{
  const std::lock_guard lock (mutex);
  pad = wanted;
}

/* The masks go first, so that those of the new position wait for its first frame; frames of the old one must not let them on. */
void
MaskHolder::begin_seek (GstEvent *seek)
{
  Ref<GstPad> target;
  {
    const std::lock_guard lock (mutex);
    if (!pad || std::exchange (seek_number, gst_event_get_seqnum (seek)) == gst_event_get_seqnum (seek))
      return;
    seeking = true;
    forget_time ();
    target = Ref<GstPad>::retain (pad);
  }
  gst_pad_push_event (target.get (), gst_event_ref (seek));
}

void
MaskHolder::end_seek ()
{
  const std::lock_guard lock (mutex);
  seeking = false;
}

namespace {

#define MASK_FORMATS "{ GRAY8, RGBA, BGRA, ARGB, ABGR, AYUV, VUYA, A420 }"

/* The host reads masks of any memory that it can map, which are few. */
GstStaticPadTemplate mask_template = GST_STATIC_PAD_TEMPLATE ("mask", GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS (GST_VIDEO_CAPS_MAKE (MASK_FORMATS) ";" GST_VIDEO_CAPS_MAKE_WITH_FEATURES (
        GST_CAPS_FEATURE_MEMORY_CL, MASK_FORMATS) ";" GST_VIDEO_CAPS_MAKE_WITH_FEATURES ("memory:GLMemory", MASK_FORMATS)));

MaskHolder &
holder_of (GstPad *pad)
{
  return *static_cast<MaskHolder *> (gst_pad_get_element_private (pad));
}

/* Reads the grey values, or the alpha channel if the format has one. */
MaskRef
read_mask (const GstVideoInfo &info, GstBuffer *buffer)
{
  GstVideoFrame frame;
  if (!gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ))
    return nullptr;
  const int component = GST_VIDEO_INFO_HAS_ALPHA (&info) ? GST_VIDEO_COMP_A : GST_VIDEO_COMP_Y;
  const int step = GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, component), stride = GST_VIDEO_FRAME_COMP_STRIDE (&frame, component);
  auto mask = std::make_shared<Mask> (Mask{GST_VIDEO_INFO_WIDTH (&info), GST_VIDEO_INFO_HEIGHT (&info), {}});
  mask->values.reserve (size_t (mask->width) * mask->height);
  for (int y = 0; y < mask->height; y++) {
    const guint8 *row = static_cast<const guint8 *> (GST_VIDEO_FRAME_COMP_DATA (&frame, component)) + gssize (y) * stride;
    for (int x = 0; x < mask->width; x++)
      mask->values.push_back (row[x * step]);
  }
  gst_video_frame_unmap (&frame);
  return mask;
}

/* The running time at which a mask begins, or GST_CLOCK_TIME_NONE if it has no times. Nothing if its segment excludes it. */
std::optional<GstClockTime>
start_of (GstPad *pad, GstBuffer *buffer)
{
  g_autoptr (GstEvent) event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment = nullptr;
  if (event)
    gst_event_parse_segment (event, &segment);
  if (!segment || segment->format != GST_FORMAT_TIME || !GST_BUFFER_TIMESTAMP_IS_VALID (buffer))
    return GST_CLOCK_TIME_NONE;
  const GstClockTime start = GST_BUFFER_TIMESTAMP (buffer);
  const GstClockTime end = GST_BUFFER_DURATION_IS_VALID (buffer) ? start + GST_BUFFER_DURATION (buffer) : GST_CLOCK_TIME_NONE;
  guint64 first, last;
  if (!gst_segment_clip (segment, GST_FORMAT_TIME, start, end, &first, &last))
    return std::nullopt;
  /* played backwards, a mask begins at its end */
  const bool backwards = segment->rate < 0 && last != GST_CLOCK_TIME_NONE;
  return gst_segment_to_running_time (segment, GST_FORMAT_TIME, backwards ? last : first);
}

GstFlowReturn
chain_mask (GstPad *pad, GstObject *parent, GstBuffer *taken)
{
  const BufferRef buffer (taken);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  GstVideoInfo info;
  if (!caps || !gst_video_info_from_caps (&info, caps))
    return GST_FLOW_NOT_NEGOTIATED;
  const std::optional<GstClockTime> start = start_of (pad, taken);
  if (!start)
    return GST_FLOW_OK;
  MaskRef mask = read_mask (info, taken);
  if (!mask) {
    GST_WARNING_OBJECT (parent, "a mask could not be read; the last one holds");
    return GST_FLOW_OK;
  }
  return holder_of (pad).push (std::move (mask), *start) ? GST_FLOW_OK : GST_FLOW_FLUSHING;
}

/* The element's stream begins and ends with its other pad, so the mask pad drops events. */
gboolean
take_event (GstPad *pad, GstObject *, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    holder_of (pad).set_flushing (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START);
  gst_event_unref (event);
  return TRUE;
}

gboolean
answer_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
    case GST_QUERY_ACCEPT_CAPS:
      return gst_pad_query_default (pad, parent, query);
    case GST_QUERY_DRAIN:
      return TRUE;
    default:
      return FALSE;
  }
}

}  // namespace

void
add_mask_template (GstElementClass *klass)
{
  gst_element_class_add_static_pad_template (klass, &mask_template);
}

GstPad *
add_running_pad (GstElement *element, GstPad *pad)
{
  if (GST_STATE (element) > GST_STATE_READY || GST_STATE_NEXT (element) > GST_STATE_READY)
    gst_pad_set_active (pad, TRUE);
  return gst_element_add_pad (element, pad) ? pad : nullptr;
}

GstPad *
make_mask_pad (GstElement *element, GstPadTemplate *pad_template, MaskHolder &holder)
{
  g_autoptr (GstPad) known = gst_element_get_static_pad (element, "mask");
  if (known)
    return nullptr;
  GstPad *pad = gst_pad_new_from_template (pad_template, "mask");
  gst_pad_set_element_private (pad, &holder);
  holder.set_pad (pad);
  gst_pad_set_activatemode_function (pad, [] (GstPad *self, GstObject *, GstPadMode mode, gboolean active) -> gboolean {
    holder_of (self).set_flushing (!active);
    return mode == GST_PAD_MODE_PUSH;
  });
  gst_pad_set_chain_function (pad, chain_mask);
  gst_pad_set_event_function (pad, take_event);
  gst_pad_set_query_function (pad, answer_query);
  return add_running_pad (element, pad);
}

void
drop_mask_pad (GstElement *element, GstPad *pad)
{
  gst_pad_set_active (pad, FALSE);
  holder_of (pad).set_pad (nullptr);
  gst_element_remove_pad (element, pad);
}

}  // namespace gst::cl
