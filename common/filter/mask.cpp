/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/mask.hpp"

#include "config.h"
#include "core/debug.hpp"
#include "memory/frame.hpp"

#include <gst/cl/gstclmemory.h>

#include <algorithm>
#include <cmath>
#include <optional>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clmask", "masks of OpenCL filters">)

namespace gst::cl {

namespace {

/* The running time from which a buffer is shown, or GST_CLOCK_TIME_NONE if it has no time; nothing if the segment excludes it. */
std::optional<GstClockTime>
time_of (const GstSegment &segment, GstBuffer *buffer)
{
  if (segment.format != GST_FORMAT_TIME || !GST_BUFFER_TIMESTAMP_IS_VALID (buffer))
    return GST_CLOCK_TIME_NONE;
  const bool has_end = GST_BUFFER_DURATION_IS_VALID (buffer);
  const GstClockTime start = GST_BUFFER_TIMESTAMP (buffer);
  guint64 first, last;
  if (!gst_segment_clip (&segment, GST_FORMAT_TIME, start, has_end ? start + GST_BUFFER_DURATION (buffer) : GST_CLOCK_TIME_NONE,
          &first, &last))
    return std::nullopt;
  return gst_segment_to_running_time (&segment, GST_FORMAT_TIME, segment.rate < 0 && has_end ? last : first);
}

}  // namespace

bool
MaskHolder::is_due (const TimedMask &mask, GstClockTime time)
{
  return mask.from == GST_CLOCK_TIME_NONE || (time != GST_CLOCK_TIME_NONE && mask.from <= time);
}

/* Filters of a chain can be many frames apart. One that has had no frame yet needs all masks. */
void
MaskHolder::drop_old ()
{
  const auto is_earlier = [] (const auto &a, const auto &b) { return a.second + 1 < b.second + 1; }; /* NONE is the least */
  const auto last = std::ranges::min_element (filters, is_earlier);
  const GstClockTime least = last != filters.end () ? last->second : GST_CLOCK_TIME_NONE;
  while (masks.size () > 1 && is_due (masks[1], least))
    masks.pop_front ();
}

GstFlowReturn
MaskHolder::push (MaskRef mask, GstClockTime running_time)
{
  std::unique_lock lock (mutex);
  const auto goes_back = [&] { return running_time < masks.back ().from && masks.back ().from != GST_CLOCK_TIME_NONE; };
  changed.wait (lock, [&] { return flushing || ended || masks.empty () || is_due (masks.back (), next) || goes_back (); });
  if (flushing || ended)
    return flushing ? GST_FLOW_FLUSHING : GST_FLOW_EOS;
  TimedMask added{std::move (mask), running_time};
  if (!masks.empty () && goes_back ())
    masks.back ().from = GST_CLOCK_TIME_NONE;
  /* of masks between two frames the last one counts */
  if (!masks.empty () && !is_due (masks.back (), reached) && is_due (added, next))
    masks.back () = std::move (added);
  else
    masks.push_back (std::move (added));
  drop_old ();
  return GST_FLOW_OK;
}

/* Times may be rounded, so masks may begin a little later than frames. A frame without a duration is as long as the one before. */
MaskRef
MaskHolder::mask_for (const void *filter, const GstSegment &segment, GstBuffer *frame)
{
  constexpr GstClockTime tolerance = 2 * GST_MSECOND;
  const std::optional<GstClockTime> start = time_of (segment, frame);
  const std::lock_guard lock (mutex);
  GstClockTime time = seeking ? GST_CLOCK_TIME_NONE : reached;
  if (start == GST_CLOCK_TIME_NONE && !masks.empty ())
    masks.back ().from = GST_CLOCK_TIME_NONE;
  if (start && start != GST_CLOCK_TIME_NONE && !seeking) {
    const bool is_first = reached == GST_CLOCK_TIME_NONE;
    const GstClockTime length = GST_BUFFER_DURATION_IS_VALID (frame)
                                    ? GstClockTime (double (GST_BUFFER_DURATION (frame)) / std::abs (segment.rate))
                                : !is_first && *start > reached ? *start - reached
                                                                : 0;
    time = filters[filter] = *start + std::min (length / 4, tolerance);
    if (is_first || time > reached) {
      reached = time;
      next = time + length;
    }
  }
  drop_old ();
  changed.notify_all ();
  const auto last =
      std::ranges::find_if (masks.rbegin (), masks.rend (), [=] (const TimedMask &each) { return is_due (each, time); });
  return last != masks.rend () ? last->mask : nullptr;
}

void
MaskHolder::join (const void *filter)
{
  const std::lock_guard lock (mutex);
  filters[filter] = GST_CLOCK_TIME_NONE;
}

void
MaskHolder::leave (const void *filter)
{
  restart ();
  const std::lock_guard lock (mutex);
  filters.erase (filter);
}

void
MaskHolder::forget_time ()
{
  for (TimedMask &each : masks)
    if (is_due (each, reached))
      each.from = GST_CLOCK_TIME_NONE;
  for (auto &[filter, time] : filters)
    time = GST_CLOCK_TIME_NONE;
  reached = next = GST_CLOCK_TIME_NONE;
}

void
MaskHolder::restart ()
{
  const std::lock_guard lock (mutex);
  forget_time ();
  seeking = ended = false;
}

void
MaskHolder::end ()
{
  const std::lock_guard lock (mutex);
  ended = true;
  changed.notify_all ();
}

void
MaskHolder::set_flushing (bool wanted)
{
  const std::lock_guard lock (mutex);
  flushing = wanted;
  ended = false;
  forget_time ();
  while (!masks.empty () && masks.back ().from != GST_CLOCK_TIME_NONE)
    masks.pop_back ();
  changed.notify_all ();
}

void
MaskHolder::clear ()
{
  const std::lock_guard lock (mutex);
  masks.clear ();
}

void
MaskHolder::set_pad (GstPad *wanted)
{
  const std::lock_guard lock (mutex);
  pad = wanted;
}

MaskRef
MaskHolder::expected ()
{
  const std::lock_guard lock (mutex);
  return pad ? std::make_shared<const Mask> (Mask{1, 1, {G_MAXUINT8}}) : nullptr;
}

/* Seeks the masks first, so that masks of the new position wait for its first frame; frames of the old position must not release
 * them. Without a flush, running time continues. */
void
MaskHolder::begin_seek (GstEvent *seek)
{
  GstSeekFlags flags;
  gst_event_parse_seek (seek, nullptr, nullptr, &flags, nullptr, nullptr, nullptr, nullptr);
  Ref<GstPad> target;
  {
    const std::lock_guard lock (mutex);
    if (!pad || std::exchange (seek_number, gst_event_get_seqnum (seek)) == gst_event_get_seqnum (seek))
      return;
    target = Ref<GstPad>::retain (pad);
    ended = false;
    if (flags & GST_SEEK_FLAG_FLUSH) {
      seeking = true;
      forget_time ();
    }
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

/* gst-launch-1.0 would link GL memory here if the pad sink does not take it. */
#ifdef HAVE_GL
#define MASK_GL_CAPS ";" GST_VIDEO_CAPS_MAKE_WITH_FEATURES ("memory:GLMemory", MASK_FORMATS)
#else
#define MASK_GL_CAPS
#endif

/* The host reads masks of any memory that it can map, which are few. */
GstStaticPadTemplate mask_template = GST_STATIC_PAD_TEMPLATE ("mask", GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS (GST_VIDEO_CAPS_MAKE (MASK_FORMATS) ";" GST_VIDEO_CAPS_MAKE_WITH_FEATURES (
        GST_CAPS_FEATURE_MEMORY_CL, MASK_FORMATS) MASK_GL_CAPS));

MaskHolder &
holder_of (GstPad *pad)
{
  return **static_cast<MaskHolderRef *> (gst_pad_get_element_private (pad));
}

/* Reads the grey values, or the alpha channel if the format has one. */
MaskRef
read_mask (const GstVideoInfo &info, GstBuffer *buffer)
{
  GstVideoFrame frame;
  if (!map_to_read (frame, info, buffer))
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

/* As time_of (), for the pad's segment. */
std::optional<GstClockTime>
start_of (GstPad *pad, GstBuffer *buffer)
{
  g_autoptr (GstEvent) event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment = nullptr;
  if (event)
    gst_event_parse_segment (event, &segment);
  return segment ? time_of (*segment, buffer) : GST_CLOCK_TIME_NONE;
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
  return holder_of (pad).push (std::move (mask), *start);
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
make_mask_pad (GstElement *element, GstPadTemplate *pad_template, const MaskHolderRef &holder)
{
  g_autoptr (GstPad) known = gst_element_get_static_pad (element, "mask");
  if (known)
    return nullptr;
  GstPad *pad = gst_pad_new_from_template (pad_template, "mask");
  auto *const own = new MaskHolderRef (holder);
  gst_pad_set_element_private (pad, own);
  holder->set_pad (pad);
  /* caps without a framerate are not a subset of the template */
  GST_PAD_SET_ACCEPT_INTERSECT (pad);
  gst_pad_set_activatemode_function (pad, [] (GstPad *self, GstObject *, GstPadMode mode, gboolean active) -> gboolean {
    holder_of (self).set_flushing (!active);
    if (!active)
      holder_of (self).clear ();
    return mode == GST_PAD_MODE_PUSH;
  });
  gst_pad_set_chain_function_full (
      pad, chain_mask, own, [] (gpointer holder) { delete static_cast<MaskHolderRef *> (holder); });
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
