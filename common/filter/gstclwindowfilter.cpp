/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/gstclwindowfilter.hpp"

#include "core/debug.hpp"
#include "filter/events.hpp"
#include "filter/lateness.hpp"
#include "interop/caps.hpp"

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clwindowfilter", "base of the OpenCL filters over time">)

using gst::cl::FrameQueue;
using gst::cl::Values;
using gst::cl::video_info_from_caps;

struct GstClWindowFilterPrivate {
  /* streaming thread only, or under the stream lock */
  FrameQueue queue;
  /* how many frames entered the queue, and how many were the main frame of a window */
  guint64 taken = 0, opened = 0;
  /* events that came while frames waited, each with the number of frames taken before it */
  std::deque<std::pair<guint64, gst::cl::Ref<GstEvent>>> events;
  /* a window of which some results have been made */
  std::optional<FrameQueue::Window> window;
  unsigned results = 0, made = 0;
  /* a frame failed, so the frames after it are not pushed at the end */
  bool failed = false;
  /* the last frame of a segment has come */
  bool ended = false;
  gint reach = -1; /* atomic: the reach of the last frame, -1 before the first frame */
  bool idle = false;
  GstClockTime latency = 0;
  /* how many buffers the last allocation query asked upstream for */
  guint asked = 0;
  gst::cl::HeldBuffers buffers;
  /* of the last frame that came */
  GstClockTime last_time = GST_CLOCK_TIME_NONE;
  gst::cl::Lateness lateness;
  /* a queued frame with the DISCONT flag that still continues the frames before it; not owned */
  GstBuffer *marked = nullptr;
};

#define GST_CL_WINDOW_FILTER(obj) (reinterpret_cast<GstClWindowFilter *> (obj))
#define GST_CL_WINDOW_FILTER_GET_CLASS(obj)                                                                                    \
  (G_TYPE_INSTANCE_GET_CLASS ((obj), GST_TYPE_CL_WINDOW_FILTER, GstClWindowFilterClass))

G_DEFINE_ABSTRACT_TYPE (GstClWindowFilter, gst_cl_window_filter, GST_TYPE_CL_FILTER)

static size_t
reach_with (GstClWindowFilter *self, const Values &values)
{
  const auto reach = GST_CL_WINDOW_FILTER_GET_CLASS (self)->reach;
  return reach ? reach (self, values) : gst_cl_filter_get_description (self).reach (values).after;
}

/* Before the first frame, uses the current values of the properties. */
static size_t
reach_of (GstClWindowFilter *self)
{
  const gint reach = g_atomic_int_get (&self->priv->reach);
  return reach >= 0 ? size_t (reach) : reach_with (self, gst_cl_filter_get_store (self).own_values ());
}

/* As a time; 0 if the framerate is not fixed. */
static GstClockTime
latency_of (GstClWindowFilter *self)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (self));
  GstVideoInfo info;
  const bool is_known = caps && video_info_from_caps (info, caps) && info.fps_n > 0;
  if (!is_known)
    return 0;
  /* 0 if the framerate is so low that the latency overflows */
  const GstClockTime latency = gst_util_uint64_scale (reach_of (self) * GST_SECOND, info.fps_d, info.fps_n);
  return GST_CLOCK_TIME_IS_VALID (latency) ? latency : 0;
}

static void
announce_latency (GstClWindowFilter *self)
{
  const GstClockTime latency = latency_of (self);
  if (std::exchange (self->priv->latency, latency) != latency)
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
}

/* How many frames wait in the queue, or stay for waiting frames. */
static guint
most_held (GstClWindowFilter *self)
{
  const size_t reach = std::max (reach_with (self, gst_cl_filter_get_store (self).own_values ()), reach_of (self));
  return guint (GST_CL_WINDOW_FILTER_GET_CLASS (self)->looks_ahead_only ? reach : 2 * reach);
}

/* Includes the frame in work and the frames that the device has not finished. */
static guint
buffers_needed (GstClWindowFilter *self)
{
  const guint held = most_held (self);
  return held > 0 ? held + 1 + gst::cl::most_frames_under_way : 0;
}

static gboolean
gst_cl_window_filter_propose_allocation (GstBaseTransform *base, GstQuery *decide_query, GstQuery *query)
{
  GstClWindowFilter *self = GST_CL_WINDOW_FILTER (base);
  if (!GST_BASE_TRANSFORM_CLASS (gst_cl_window_filter_parent_class)->propose_allocation (base, decide_query, query))
    return FALSE;
  self->priv->asked = buffers_needed (self);
  if (self->priv->asked > 0)
    gst::cl::ask_for_buffers (query, self->priv->asked);
  return TRUE;
}

/* Called after a change of properties. */
static void
ask_again (GstClWindowFilter *self)
{
  const guint needed = buffers_needed (self);
  if (needed > self->priv->asked && std::exchange (self->priv->asked, needed) > 0)
    gst_base_transform_reconfigure_sink (GST_BASE_TRANSFORM (self));
}

GstFlowReturn
gst_cl_window_filter_make (GstClWindowFilter *self, const FrameQueue::Window &window, unsigned job, GstBuffer **out)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);
  std::vector<GstBuffer *> inputs;
  for (const gst::cl::BufferRef &frame : window.frames)
    inputs.push_back (frame.get ());
  GstBuffer *current = inputs[window.main], *made = nullptr;
  GstFlowReturn flow =
      GST_BASE_TRANSFORM_CLASS (gst_cl_window_filter_parent_class)->prepare_output_buffer (base, current, &made);
  if (flow != GST_FLOW_OK)
    return flow;
  const bool passes = gst_base_transform_is_passthrough (base);
  flow = gst_cl_filter_run (&self->parent, inputs, window.main, passes ? nullptr : made, window.first, job);
  if (made == current)
    gst_buffer_ref (made);
  if (flow == GST_FLOW_OK)
    *out = made;
  else
    gst_buffer_unref (made);
  return flow;
}

GstFlowReturn
gst_cl_window_filter_look (GstClWindowFilter *self, const FrameQueue::Window &window, size_t frame, unsigned job)
{
  GstBuffer *input = window.frames[frame].get ();
  return gst_cl_filter_run (&self->parent, std::span (&input, 1), 0, nullptr, window.first + frame, job, false);
}

/* Sends the events that follow this many frames. */
static void
send_events (GstClWindowFilter *self, guint64 frames = G_MAXUINT64)
{
  auto &events = self->priv->events;
  while (!events.empty () && events.front ().first <= frames) {
    gst::cl::Ref<GstEvent> event = std::move (events.front ().second);
    events.pop_front ();
    GST_BASE_TRANSFORM_CLASS (gst_cl_window_filter_parent_class)->sink_event (GST_BASE_TRANSFORM (self), event.release ());
  }
}

/* Takes the next complete window, and latches its settings. */
static GstFlowReturn
open_window (GstClWindowFilter *self)
{
  GstClWindowFilterPrivate *priv = self->priv;
  GstClWindowFilterClass *klass = GST_CL_WINDOW_FILTER_GET_CLASS (self);
  GstBuffer *next = priv->queue.next ();
  if (!next || !gst_cl_filter_latch (&self->parent, next))
    return next ? GST_FLOW_ERROR : GST_FLOW_OK;
  const size_t reach = reach_with (self, *gst_cl_filter_get_values (&self->parent));
  if (gint (reach) != g_atomic_int_get (&priv->reach))
    priv->buffers.forget ();
  g_atomic_int_set (&priv->reach, gint (reach));
  announce_latency (self);
  ask_again (self);
  const size_t behind = klass->looks_ahead_only ? 0 : reach;
  priv->window = priv->queue.pop (reach, behind);
  if (!priv->window)
    return klass->look_ahead ? klass->look_ahead (self, *priv->queue.peek (reach, behind)) : GST_FLOW_OK;
  send_events (self, priv->opened++);
  priv->results = klass->results ? klass->results (self, *priv->window) : 1;
  priv->made = 0;
  GST_BASE_TRANSFORM_CLASS (gst_cl_window_filter_parent_class)
      ->before_transform (GST_BASE_TRANSFORM (self), priv->window->frames[priv->window->main].get ());
  return GST_FLOW_OK;
}

/* Frames that wait for no others are dropped by the base class before they are filtered. */
static bool
drops_result (GstClWindowFilter *self, unsigned i)
{
  const FrameQueue::Window &window = *self->priv->window;
  const auto time_of = GST_CL_WINDOW_FILTER_GET_CLASS (self)->time_of;
  const GstClockTime time = time_of ? time_of (self, window, i) : GST_BUFFER_PTS (window.frames[window.main].get ());
  return g_atomic_int_get (&self->priv->reach) > 0 && self->priv->lateness.drops (GST_BASE_TRANSFORM (self), time);
}

/* Makes the next result that is not too late; null while it still needs frames. */
static GstFlowReturn
produce (GstClWindowFilter *self, GstBuffer **result)
{
  GstClWindowFilterPrivate *priv = self->priv;
  const auto make = GST_CL_WINDOW_FILTER_GET_CLASS (self)->make;
  *result = nullptr;
  while (true) {
    GstFlowReturn flow = priv->window ? GST_FLOW_OK : open_window (self);
    if (flow != GST_FLOW_OK || !priv->window)
      return flow;
    const unsigned i = priv->made++;
    const bool makes = i < priv->results && !drops_result (self, i);
    if (makes)
      flow = make ? make (self, *priv->window, i, result) : gst_cl_window_filter_make (self, *priv->window, 0, result);
    priv->failed = priv->failed || flow < GST_FLOW_OK;
    if (priv->made >= priv->results)
      priv->window.reset ();
    if (makes)
      return flow;
  }
}

static void
forget (GstClWindowFilter *self)
{
  self->priv->window.reset ();
  self->priv->queue.clear ();
  self->priv->opened = self->priv->taken;
  self->priv->buffers.forget ();
  self->priv->ended = false;
  self->priv->failed = false;
  self->priv->marked = nullptr;
  self->priv->last_time = GST_CLOCK_TIME_NONE;
}

void
gst_cl_window_filter_drain (GstClWindowFilter *self)
{
  self->priv->queue.close ();
  GstBuffer *out = nullptr;
  while (!self->priv->failed && produce (self, &out) == GST_FLOW_OK && out)
    if (gst_pad_push (GST_BASE_TRANSFORM_SRC_PAD (self), out) != GST_FLOW_OK)
      break;
  send_events (self);
  forget (self);
}

static bool
is_backwards (GstClWindowFilter *self)
{
  return GST_BASE_TRANSFORM (self)->segment.rate < 0;
}

void
gst_cl_window_filter_set_idle (GstClWindowFilter *self, bool idle)
{
  /* downstream has answered upstream's allocation query */
  if (std::exchange (self->priv->idle, idle) && !idle)
    gst_base_transform_reconfigure_sink (GST_BASE_TRANSFORM (self));
  if (!idle)
    return;
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM (self), TRUE);
  g_atomic_int_set (&self->priv->reach, -1);
  announce_latency (self);
}

/* In reverse, decoders set DISCONT on the first frame of each group of pictures, where forward playback has no gap. */
static bool
continues_backwards (GstClWindowFilter *self, GstBuffer *input)
{
  const GstClockTime time = GST_BUFFER_PTS (input), last = self->priv->last_time;
  if (!is_backwards (self) || !GST_CLOCK_TIME_IS_VALID (time) || !GST_CLOCK_TIME_IS_VALID (last) || last <= time)
    return false;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (self));
  GstVideoInfo info;
  const bool has_rate = caps && video_info_from_caps (info, caps) && info.fps_n > 0;
  const GstClockTime length =
      has_rate ? gst_util_uint64_scale_int (GST_SECOND, info.fps_d, info.fps_n) : GST_BUFFER_DURATION (input);
  return GST_CLOCK_TIME_IS_VALID (length) && last - time < length + length / 2;
}

/* Does not chain up: settings must belong to the outgoing frame, not to the incoming one. Pushes the frames before a
 * discontinuity now, because the base class marks the next buffer that it pushes. The base class's own flag stays set until
 * then, so this function reads the buffer's flag. */
static void
gst_cl_window_filter_before_transform (GstBaseTransform *base, GstBuffer *input)
{
  GstClWindowFilter *self = GST_CL_WINDOW_FILTER (base);
  const bool begins = GST_BUFFER_IS_DISCONT (input) && !GST_CL_WINDOW_FILTER_GET_CLASS (self)->bridges_gaps;
  if (begins && continues_backwards (self, input))
    self->priv->marked = input;
  else if (begins)
    gst_cl_window_filter_drain (self);
  self->priv->last_time = GST_BUFFER_PTS (input);
}

static GstFlowReturn
gst_cl_window_filter_submit_input_buffer (GstBaseTransform *base, gboolean is_discont, GstBuffer *input)
{
  GstClWindowFilter *self = GST_CL_WINDOW_FILTER (base);
  const GstFlowReturn flow =
      GST_BASE_TRANSFORM_CLASS (gst_cl_window_filter_parent_class)->submit_input_buffer (base, is_discont, input);
  if (flow != GST_FLOW_OK || !base->queued_buf || self->priv->idle) {
    self->priv->marked = nullptr;
    return flow;
  }
  GstBuffer *taken = std::exchange (base->queued_buf, nullptr);
  self->priv->ended = gst::cl::ends_segment (base->segment, taken);
  /* one buffer for the incoming frame, one for another element that holds a frame */
  gst::cl::BufferRef frame = self->priv->buffers.take (taken, base->sinkpad, most_held (self) + 2);
  if (self->priv->marked == taken)
    self->priv->marked = frame.get ();
  self->priv->queue.push (std::move (frame), is_backwards (self));
  self->priv->taken++;
  if (self->priv->ended)
    self->priv->queue.close ();
  return GST_FLOW_OK;
}

/* Pushes results that precede a marked frame directly, because the base class would mark the first of them. */
static GstFlowReturn
gst_cl_window_filter_generate_output (GstBaseTransform *base, GstBuffer **out)
{
  GstClWindowFilter *self = GST_CL_WINDOW_FILTER (base);
  GstClWindowFilterPrivate *priv = self->priv;
  if (priv->idle)
    return GST_BASE_TRANSFORM_CLASS (gst_cl_window_filter_parent_class)->generate_output (base, out);
  while (true) {
    const GstBuffer *source = priv->window ? priv->window->frames[priv->window->main].get () : priv->queue.next ();
    GstFlowReturn flow = produce (self, out);
    if (*out && priv->marked == source)
      priv->marked = nullptr;
    if (!*out && std::exchange (priv->ended, false))
      gst_cl_filter_drain (&self->parent);
    if (flow != GST_FLOW_OK || !*out || !priv->marked)
      return flow;
    flow = gst_pad_push (GST_BASE_TRANSFORM_SRC_PAD (self), std::exchange (*out, nullptr));
    if (flow != GST_FLOW_OK)
      return flow;
  }
}

/* Drops the queue with its events, except sticky ones. */
static gboolean
flush (GstClWindowFilter *self, GstEvent *event)
{
  auto events = std::exchange (self->priv->events, {});
  forget (self);
  self->priv->lateness.forget ();
  const gboolean done =
      GST_BASE_TRANSFORM_CLASS (gst_cl_window_filter_parent_class)->sink_event (GST_BASE_TRANSFORM (self), event);
  for (auto &[frames, each] : events)
    if (gst::cl::has_flag (each.get (), GST_EVENT_TYPE_STICKY))
      gst_pad_store_sticky_event (GST_BASE_TRANSFORM_SRC_PAD (self), each.get ());
  return done;
}

/* Other serialized events keep their place among the frames. */
static gboolean
gst_cl_window_filter_sink_event (GstBaseTransform *base, GstEvent *event)
{
  GstClWindowFilter *self = GST_CL_WINDOW_FILTER (base);
  GstClWindowFilterPrivate *priv = self->priv;
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    return flush (self, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_GAP && GST_CL_WINDOW_FILTER_GET_CLASS (self)->bridges_gaps && !priv->idle) {
    gst_event_unref (event);
    return TRUE;
  }
  if (gst::cl::ends_windows (event)) {
    gst_cl_window_filter_drain (self);
  } else if (gst::cl::has_flag (event, GST_EVENT_TYPE_SERIALIZED) && priv->opened < priv->taken) {
    priv->events.emplace_back (priv->taken, gst::cl::Ref<GstEvent> (event));
    return TRUE;
  }
  return GST_BASE_TRANSFORM_CLASS (gst_cl_window_filter_parent_class)->sink_event (base, event);
}

static gboolean
gst_cl_window_filter_query (GstBaseTransform *base, GstPadDirection direction, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_DRAIN && direction == GST_PAD_SINK)
    gst_cl_window_filter_drain (GST_CL_WINDOW_FILTER (base));
  if (!GST_BASE_TRANSFORM_CLASS (gst_cl_window_filter_parent_class)->query (base, direction, query))
    return FALSE;
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY || direction != GST_PAD_SRC)
    return TRUE;
  const GstClockTime latency = latency_of (GST_CL_WINDOW_FILTER (base));
  gboolean live;
  GstClockTime least, most;
  gst_query_parse_latency (query, &live, &least, &most);
  gst_query_set_latency (query, live, least + latency, GST_CLOCK_TIME_IS_VALID (most) ? most + latency : most);
  return TRUE;
}

/* Where gaps are bridged, the base class would mark the next result, which lies before the gap. */
static GstPadProbeReturn
before_frame (GstPad *pad, GstPadProbeInfo *info, gpointer)
{
  GstClWindowFilter *self = GST_CL_WINDOW_FILTER (GST_PAD_PARENT (pad));
  GstBuffer *frame = GST_PAD_PROBE_INFO_BUFFER (info);
  if (!GST_BUFFER_IS_DISCONT (frame) || !GST_CL_WINDOW_FILTER_GET_CLASS (self)->bridges_gaps
      || g_atomic_int_get (&self->priv->reach) <= 0 || !GST_CLOCK_TIME_IS_VALID (self->priv->last_time))
    return GST_PAD_PROBE_OK;
  info->data = frame = gst::cl::make_writable (GST_ELEMENT (self), frame);
  if (frame)
    GST_BUFFER_FLAG_UNSET (frame, GST_BUFFER_FLAG_DISCONT);
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = frame ? GST_FLOW_OK : GST_FLOW_ERROR;
  return frame ? GST_PAD_PROBE_OK : GST_PAD_PROBE_HANDLED;
}

static void
gst_cl_window_filter_class_init (GstClWindowFilterClass *klass)
{
  gst::cl::delete_with_instance<&GstClWindowFilter::priv, &gst_cl_window_filter_parent_class> (G_OBJECT_CLASS (klass));
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  base->before_transform = gst_cl_window_filter_before_transform;
  base->prepare_output_buffer = [] (GstBaseTransform *base, GstBuffer *in, GstBuffer **out) -> GstFlowReturn {
    if (!GST_CL_WINDOW_FILTER (base)->priv->idle)
      return GST_BASE_TRANSFORM_CLASS (gst_cl_window_filter_parent_class)->prepare_output_buffer (base, in, out);
    *out = in;
    return GST_FLOW_OK;
  };
  base->propose_allocation = gst_cl_window_filter_propose_allocation;
  base->submit_input_buffer = gst_cl_window_filter_submit_input_buffer;
  base->generate_output = gst_cl_window_filter_generate_output;
  base->sink_event = gst_cl_window_filter_sink_event;
  base->src_event = [] (GstBaseTransform *base, GstEvent *event) -> gboolean {
    GST_CL_WINDOW_FILTER (base)->priv->lateness.see (event);
    return GST_BASE_TRANSFORM_CLASS (gst_cl_window_filter_parent_class)->src_event (base, event);
  };
  base->query = gst_cl_window_filter_query;
  base->stop = [] (GstBaseTransform *base) -> gboolean {
    forget (GST_CL_WINDOW_FILTER (base));
    GST_CL_WINDOW_FILTER (base)->priv->lateness.forget ();
    GST_CL_WINDOW_FILTER (base)->priv->events.clear ();
    GST_CL_WINDOW_FILTER (base)->priv->latency = 0;
    g_atomic_int_set (&GST_CL_WINDOW_FILTER (base)->priv->reach, -1);
    return GST_BASE_TRANSFORM_CLASS (gst_cl_window_filter_parent_class)->stop (base);
  };
}

static void
gst_cl_window_filter_init (GstClWindowFilter *self)
{
  self->priv = new GstClWindowFilterPrivate;
  gst_pad_add_probe (GST_BASE_TRANSFORM_SINK_PAD (self), GST_PAD_PROBE_TYPE_BUFFER, before_frame, nullptr, nullptr);
}
