/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clcompare: measures how similar two streams are, frame by frame: mean squared error, PSNR, SSIM and correlation. Frames of
 * the pad sink pass unchanged to src; frames of the pad reference end here. */
#include "compare/link.hpp"
#include "compare/operation.hpp"
#include "filter/framecounter.hpp"
#include "filter/gstclaggregatorpad.hpp"
#include "filter/samepicture.hpp"
#include "filter/settingstore.hpp"
#include "filter/stream.hpp"
#include "shared/compare_match.hpp"

#include <gst/base/gstaggregator.h>

namespace gst::cl::clcompare {

GST_DEBUG_CATEGORY_STATIC (gst_cl_compare_debug);

struct GstClComparePrivate {
  explicit GstClComparePrivate (GstElement *self) : element (self), store (self, compare_description), log (self) {}

  ClElement element;
  SettingStore store;
  CompareLog log;
  std::optional<LinkWatch> reference_link;

  /* used by the streaming thread */
  std::optional<InputVideo> sink_video, reference_video;
  bool caps_changed = false;
  /* why a pad's last caps were refused */
  std::string refused;
  CompareMatch match;
  guint64 frames = 0;
  StreamPtr stream;
  LateSettings settings;
};

struct GstClCompare {
  GstAggregator parent;
  GstAggregatorPad *sink, *reference;
  GstClComparePrivate *priv;
};

struct GstClCompareClass {
  GstAggregatorClass parent_class;
};

#define GST_CL_COMPARE(obj) (reinterpret_cast<GstClCompare *> (obj))

G_DEFINE_TYPE_WITH_CODE (GstClCompare, gst_cl_compare, GST_TYPE_AGGREGATOR,
    GST_DEBUG_CATEGORY_INIT (gst_cl_compare_debug, "clcompare", 0, "OpenCL video comparison"))

constexpr auto priv_of = [] (gpointer self) { return GST_CL_COMPARE (self)->priv; };
constexpr auto element_of = [] (gpointer self) -> ClElement & { return priv_of (self)->element; };
constexpr auto store_of = [] (gpointer self) -> SettingStore & { return priv_of (self)->store; };
constexpr auto store_if_made = [] (gpointer self) { return priv_of (self) ? &store_of (self) : nullptr; };

static void
begin_anew (GstClComparePrivate *priv)
{
  run_guarded (static_cast<GError **> (nullptr), [priv] {
    if (priv->stream)
      priv->stream->drain (); /* nothing waits for its messages */
  });
  priv->log.start ();
  priv->match.clear ();
  priv->frames = 0;
}

/* Takes the caps of `sink` for `src`. */
static void
take_caps (GstClCompare *self, GstAggregatorPad *pad, GstCaps *caps)
{
  GstVideoInfo info;
  if (!video_info_from_caps (info, caps))
    return;
  const bool is_sink = pad == self->sink;
  GST_OBJECT_LOCK (self);
  (is_sink ? self->priv->sink_video : self->priv->reference_video) = InputVideo{info, memory_kind (caps)};
  GST_OBJECT_UNLOCK (self);
  self->priv->caps_changed = true;
  if (is_sink)
    gst_aggregator_set_src_caps (GST_AGGREGATOR (self), caps);
}

/* Waits for the current measurements, and reports failures since the last call. */
static bool
settle (gpointer self)
{
  GstClComparePrivate *priv = priv_of (self);
  const bool done = run_guarded (GST_ELEMENT (self), [priv] {
    if (priv->stream)
      priv->stream->drain ();
    throw_unread (priv->element.context ().get ());
  });
  if (priv->stream)
    priv->store.set_stats (priv->stream->stats ());
  return done;
}

static gboolean
gst_cl_compare_sink_event (GstAggregator *aggregator, GstAggregatorPad *pad, GstEvent *event)
{
  GstClCompare *self = GST_CL_COMPARE (aggregator);
  if (!takes_event (GST_ELEMENT (self), self->priv->refused, event)) {
    gst_event_unref (event);
    return FALSE;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    GstCaps *caps = nullptr;
    gst_event_parse_caps (event, &caps);
    take_caps (self, pad, caps);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT && pad == self->sink) {
    const GstSegment *segment = nullptr;
    gst_event_parse_segment (event, &segment);
    gst_aggregator_update_segment (aggregator, segment);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_TAG && pad == self->sink) {
    gst_pad_push_event (GST_AGGREGATOR_SRC_PAD (aggregator), gst_event_ref (event));
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE) {
    settle (self);
  }
  return GST_AGGREGATOR_CLASS (gst_cl_compare_parent_class)->sink_event (aggregator, pad, event);
}

/* Frames of `sink` pass unchanged, so its caps are those downstream of `src`, and the caps of `src` are those upstream of
 * `sink`. Frames of `reference` may have any memory. */
static void
answer_caps (gpointer compare, GstPad *pad, GstQuery *query)
{
  GstClCompare *self = GST_CL_COMPARE (compare);
  GstCaps *filter = nullptr;
  g_autoptr (GstCaps) all = gst_pad_get_pad_template_caps (pad);
  gst_query_parse_caps (query, &filter);
  GstPad *sink = GST_PAD (self->sink), *reference = GST_PAD (self->reference);
  GstPad *other_side = pad == sink ? GST_AGGREGATOR_SRC_PAD (self) : sink;
  g_autoptr (GstCaps) possible = pad == reference ? gst_caps_ref (all) : gst_pad_peer_query_caps (other_side, all);
  std::optional<InputVideo> other;
  GST_OBJECT_LOCK (self);
  if (pad == sink || pad == reference)
    other = pad == sink ? self->priv->reference_video : self->priv->sink_video;
  GST_OBJECT_UNLOCK (self);
  g_autoptr (GstCaps) answer = caps_like (possible, other ? &other->info : nullptr, filter);
  gst_query_set_caps_result (query, answer);
}

static gboolean
gst_cl_compare_src_query (GstAggregator *aggregator, GstQuery *query)
{
  GstClCompare *self = GST_CL_COMPARE (aggregator);
  if (self->priv->element.query_context (query))
    return TRUE;
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      answer_caps (self, aggregator->srcpad, query);
      return TRUE;
    case GST_QUERY_POSITION:
    case GST_QUERY_DURATION:
      return gst_pad_peer_query (GST_PAD (self->sink), query);
    default:
      return GST_AGGREGATOR_CLASS (gst_cl_compare_parent_class)->src_query (aggregator, query);
  }
}

static TimedFrame
timed (GstAggregatorPad *pad, const BufferRef &buffer, const GstVideoInfo &info)
{
  const ObjectLock lock (pad);
  return timed_frame (buffer, info, pad->segment);
}

/* Drops the gap that was shown until now. Until then it stays on its pad, because without a buffer on each pad aggregate() is
 * not called. */
static void
drop_gap (GstClCompare *self)
{
  const BufferRef front (gst_aggregator_pad_peek_buffer (self->reference));
  const TimedFrame *shown = self->priv->match.last ();
  if (front && shown && shown->buffer.get () == front.get ())
    gst_aggregator_pad_drop_buffer (self->reference);
}

/* Takes reference frames until the one that is shown with this frame is found; returns false if more frames are needed. */
static bool
find_reference (GstClCompare *self, const TimedFrame &frame, gboolean timeout)
{
  GstClComparePrivate *priv = self->priv;
  const bool in_order = !GST_CLOCK_TIME_IS_VALID (frame.start);
  if (in_order) {
    drop_gap (self);
    priv->match.clear ();
  }
  while (!priv->match.is_certain (frame)) {
    drop_gap (self);
    const BufferRef next (gst_aggregator_pad_peek_buffer (self->reference));
    if (!next)
      return timeout || gst_aggregator_pad_is_eos (self->reference);
    const TimedFrame reference =
        timed (self->reference, next, priv->reference_video ? priv->reference_video->info : frame.info);
    const bool is_skipped = in_order && reference.is_gap ();
    if (!is_skipped && !priv->match.advance (frame, reference))
      return true;
    if (is_skipped || !reference.is_gap ())
      gst_aggregator_pad_drop_buffer (self->reference);
    if (!is_skipped && (in_order || !GST_CLOCK_TIME_IS_VALID (reference.start)))
      return true;
  }
  return true;
}

/* info: of the frames; the pads' caps may already describe later frames. */
static void
make_stream (GstClCompare *self, const GstVideoInfo &info)
{
  GstClComparePrivate *priv = self->priv;
  const InputVideo video{info};
  const MemoryKind reference_kind = priv->reference_video.value_or (video).kind;
  const Ref<GstCaps> sink = video.caps_in (priv->sink_video->kind), reference = video.caps_in (reference_kind);
  if (const auto old = std::move (priv->stream))
    old->drain ();
  auto link = priv->element.link ({sink.get (), reference.get ()});
  /* textures on either pad make this a stream of textures; which frames are textures is tested for each frame */
  GstCaps *caps = (reference_kind == MemoryKind::gl ? reference : sink).get ();
  priv->stream = StreamPtr (new Stream (priv->element.context (), std::move (link),
      std::array{StagePlan{&compare_description, &priv->log, nullptr}}, caps, nullptr));
  priv->caps_changed = false;
  priv->settings.begin ();
}

/* Starts building the programs before frames come, so that the first frames of a live source are not late. */
static void
build_ahead (GstClComparePrivate *priv, GstPad *sink)
{
  const StagePlan plan{&compare_description, &priv->log, nullptr};
  const Settings wanted = priv->store.latch (GST_CLOCK_TIME_NONE);
  if (const std::optional<GstVideoInfo> info = expected_video (possible_caps (sink).get ()))
    priv->element.build_ahead ({*info, {}, {plan}, {wanted}, 2});
}

static gboolean
gst_cl_compare_start (GstAggregator *aggregator)
{
  GstClComparePrivate *priv = priv_of (aggregator);
  begin_anew (priv);
  priv->sink_video.reset ();
  priv->reference_video.reset ();
  priv->refused.clear ();
  if (!priv->element.ensure_context () || !priv->store.check_complete ())
    return FALSE;
  build_ahead (priv, GST_PAD (GST_CL_COMPARE (aggregator)->sink));
  return TRUE;
}

static FrameTimes
times_of (GstClCompare *self, const TimedFrame &frame)
{
  const ObjectLock lock (self->sink);
  return times_in (self->sink->segment, GST_BUFFER_PTS (frame.buffer.get ()), self->priv->frames, nullptr);
}

static void
measure (GstClCompare *self, const TimedFrame &frame, const TimedFrame &reference)
{
  GstClComparePrivate *priv = self->priv;
  require_same_picture (GST_PAD (self->sink), frame.info, GST_PAD (self->reference), reference.info);
  GstBuffer *const buffers[] = {frame.buffer.get (), reference.buffer.get ()};
  bool relinked = priv->caps_changed || !priv->stream || !describe_same_frames (priv->stream->input_info (), frame.info);
  for (GstBuffer *buffer : buffers)
    relinked = priv->element.was_relinked (buffer) || relinked;
  if (relinked)
    make_stream (self, frame.info);
  const FrameTimes times = times_of (self, frame);
  const StagePlan plan{&compare_description, &priv->log, nullptr};
  const Settings wanted = priv->store.latch (times.stream_time);
  const Settings &settings =
      priv->settings.settle (priv->stream->rehearsal_of ({&plan, 1}, {&wanted, 1}, buffers[0], std::size (buffers)),
          [priv] { return priv->element.streams_on (); });
  priv->stream->filter (priv->stream->trip_of (buffers, 0, nullptr, times, {&settings, 1}));
  priv->store.set_stats (priv->stream->stats ());
}

/* If downstream fails, the reason may be a frame that the device did not finish. The element reports it now, because no later
 * frame comes. */
static GstFlowReturn
pass_on (GstClCompare *self)
{
  GstAggregator *aggregator = GST_AGGREGATOR (self);
  GstBuffer *buffer = gst_aggregator_pad_pop_buffer (self->sink);
  GstAggregatorPad *src = GST_AGGREGATOR_PAD (aggregator->srcpad);
  if (gst_buffer_get_size (buffer) == 0) {
    gst_pad_push_event (GST_PAD (src), gst_event_new_gap (GST_BUFFER_PTS (buffer), GST_BUFFER_DURATION (buffer)));
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  GST_OBJECT_LOCK (src);
  if (GST_BUFFER_PTS_IS_VALID (buffer))
    src->segment.position = GST_BUFFER_PTS (buffer);
  GST_OBJECT_UNLOCK (src);
  self->priv->frames++;
  BufferRef passed (buffer);
  const auto prepare = [&] { passed = self->priv->element.for_downstream (aggregator->srcpad, buffer); };
  if (!run_guarded (GST_ELEMENT (self), prepare))
    return GST_FLOW_ERROR;
  const bool ends = ends_segment (self->sink->segment, buffer);
  const GstFlowReturn flow = gst_aggregator_finish_buffer (aggregator, passed.release ());
  if (flow == GST_FLOW_ERROR || ends)
    settle (self);
  return flow;
}

static GstFlowReturn
gst_cl_compare_aggregate (GstAggregator *aggregator, gboolean timeout)
{
  GstClCompare *self = GST_CL_COMPARE (aggregator);
  GstClComparePrivate *priv = self->priv;
  const BufferRef buffer (gst_aggregator_pad_peek_buffer (self->sink));
  if (!buffer && !gst_aggregator_pad_is_eos (self->sink))
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  if (!buffer) {
    const bool done = settle (self);
    priv->log.post_final ();
    return done ? GST_FLOW_EOS : GST_FLOW_ERROR;
  }
  if (gst_buffer_get_size (buffer.get ()) == 0 || !priv->sink_video)
    return pass_on (self);
  const TimedFrame frame = timed (self->sink, buffer, priv->sink_video->info);
  if (!find_reference (self, frame, timeout))
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  const TimedFrame *reference = priv->match.find (frame);
  if (reference && !run_guarded (GST_ELEMENT (self), [&] { measure (self, frame, *reference); }))
    return GST_FLOW_ERROR;
  return pass_on (self);
}

static void
gst_cl_compare_class_init (GstClCompareClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  delete_with_instance<&GstClCompare::priv, &gst_cl_compare_parent_class> (object);
  hand_on_properties<element_of, store_of> (object);
  publish_settings<store_if_made, &gst_cl_compare_parent_class> (object);
  ClElement::install_properties (object);
  SettingStore::install (object, compare_description);

  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  add_pad_template (element, "sink", GST_PAD_SINK, GST_PAD_ALWAYS, all_memory_kinds (), GST_TYPE_AGGREGATOR_PAD);
  add_pad_template (element, "reference", GST_PAD_SINK, GST_PAD_ALWAYS, all_memory_kinds (), GST_TYPE_AGGREGATOR_PAD);
  add_pad_template (element, "src", GST_PAD_SRC, GST_PAD_ALWAYS, all_memory_kinds (), GST_TYPE_AGGREGATOR_PAD);
  constexpr auto relink = [] (GstElement *) {}; /* was_relinked() notices */
  hand_on_contexts<element_of, &gst_cl_compare_parent_class, relink> (element);
  element->change_state = [] (GstElement *element, GstStateChange transition) -> GstStateChangeReturn {
    if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !priv_of (element)->reference_link->start ())
      return GST_STATE_CHANGE_FAILURE;
    const auto result = change_state_with_device<element_of, &gst_cl_compare_parent_class> (element, transition);
    if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
      priv_of (element)->reference_link->stop ();
    return result;
  };

  GstAggregatorClass *aggregator = GST_AGGREGATOR_CLASS (klass);
  aggregator->start = gst_cl_compare_start;
  aggregator->stop = [] (GstAggregator *aggregator) -> gboolean {
    priv_of (aggregator)->match.clear ();
    priv_of (aggregator)->stream.reset ();
    return TRUE;
  };
  aggregator->flush = [] (GstAggregator *aggregator) {
    begin_anew (priv_of (aggregator));
    return GST_FLOW_OK;
  };
  aggregator->aggregate = gst_cl_compare_aggregate;
  aggregator->sink_event = gst_cl_compare_sink_event;
  serve_inputs<element_of, &gst_cl_compare_parent_class, settle, answer_caps, true> (aggregator);
  aggregator->src_query = gst_cl_compare_src_query;
  aggregator->propose_allocation = [] (GstAggregator *aggregator, GstAggregatorPad *pad, GstQuery *,
                                       GstQuery *query) -> gboolean {
    GstClCompare *self = GST_CL_COMPARE (aggregator);
    return (pad == self->sink && gst_pad_peer_query (aggregator->srcpad, query))
           || self->priv->element.propose_allocation (query);
  };
  /* only a frame waits for something, its reference; otherwise the base class would ask again and again */
  aggregator->get_next_time = [] (GstAggregator *aggregator) -> GstClockTime {
    GstAggregatorPad *sink = GST_CL_COMPARE (aggregator)->sink;
    const bool waits = gst_aggregator_pad_has_buffer (sink) || gst_aggregator_pad_is_eos (sink);
    return waits ? gst_aggregator_simple_get_next_time (aggregator) : GST_CLOCK_TIME_NONE;
  };
  aggregator->negotiate =
      [] (GstAggregator *aggregator) -> gboolean { /* downstream may have changed; src has the caps of sink */
    element_of (aggregator).ask_downstream_again ();
    return TRUE;
  };
}

static void
gst_cl_compare_init (GstClCompare *self)
{
  self->priv = new GstClComparePrivate (GST_ELEMENT (self));
  const auto add = [self] (const char *name) {
    GstPadTemplate *templ = gst_element_get_pad_template (GST_ELEMENT (self), name);
    auto *pad = static_cast<GstAggregatorPad *> (
        g_object_new (GST_TYPE_AGGREGATOR_PAD, "name", name, "direction", GST_PAD_SINK, "template", templ, nullptr));
    gst_element_add_pad (GST_ELEMENT (self), GST_PAD (pad));
    return pad;
  };
  self->sink = add ("sink");
  self->reference = add ("reference");
  self->priv->reference_link.emplace (GST_ELEMENT (self), GST_PAD (self->reference));
}

GST_ELEMENT_REGISTER_DEFINE (clcompare, "clcompare", GST_RANK_NONE, gst_cl_compare_get_type ())

}  // namespace gst::cl::clcompare
