/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/gstclaggregator.hpp"

#include "core/debug.hpp"
#include "filter/composition.hpp"
#include "filter/framecounter.hpp"
#include "filter/samepicture.hpp"
#include "filter/timecodes.hpp"

#include <algorithm>
#include <atomic>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"claggregator", "base of the OpenCL filters of several inputs">)

using namespace gst::cl;

#define GST_CL_AGGREGATOR(obj) (reinterpret_cast<GstClAggregator *> (obj))
#define GST_CL_AGGREGATOR_GET_CLASS(obj) (G_TYPE_INSTANCE_GET_CLASS ((obj), GST_TYPE_CL_AGGREGATOR, GstClAggregatorClass))

struct GstClAggregatorPrivate {
  GstClAggregatorPrivate (GstElement *self, const FilterDescription &description)
      : element (self), store (self, description), composition (self, element, description, store.reporter)
  {
  }

  ClElement element;
  SettingStore store;

  /* streaming thread only; composition is for inputs with their own caps */
  StreamPtr stream;
  Composition composition;
  /* the frames of the next result, and whether there is no result because there are none */
  std::vector<AggregatorInput> inputs;
  bool has_no_result = false;
  /* whether the result needs other caps, because the input of its caps has ended */
  bool renegotiates = false;
  guint64 frames_in_segment = 0;
  /* the first input's last frame, not owned, with its time, and how many results it has been used for */
  std::pair<GstBuffer *, GstClockTime> last_first{};
  unsigned repetitions = 0;
  TimeCodeCounter codes;
  Settings latched;
  LateSettings settings;
  /* why the last caps of the result, and of an input, were refused */
  std::string refused, refused_input;
  /* any thread: whether the streaming thread must return */
  std::atomic<bool> stopping = false, flushing = false;
};

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (
    GstClAggregator, gst_cl_aggregator, GST_TYPE_VIDEO_AGGREGATOR, G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, gst_cl_preset_init);
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY, gst_cl_aggregator_child_proxy_init))

static const AggregatorDescription &
aggregator_description (gpointer self)
{
  return *GST_CL_AGGREGATOR_GET_CLASS (self)->description;
}

static constexpr auto priv_of = [] (gpointer self) { return GST_CL_AGGREGATOR (self)->priv; };
static constexpr auto element_of = [] (gpointer self) -> ClElement & { return priv_of (self)->element; };

SettingStore &
gst_cl_aggregator_get_store (gpointer self)
{
  return priv_of (self)->store;
}

/* Starts building the programs before frames come, so that the first frames of a live source are not late. */
static void
build_ahead (GstClAggregator *self)
{
  GstClAggregatorPrivate *priv = self->priv;
  const std::vector<AggregatorInput> inputs = expected_inputs (GST_ELEMENT (self));
  if (inputs.empty () || inputs.size () != sink_pads_of (GST_ELEMENT (self)).size ())
    return;
  const StagePlan plan{&aggregator_description (self).filter, &priv->store.reporter, nullptr};
  latch_settings (priv->store, inputs, GST_CLOCK_TIME_NONE, priv->latched);
  const GstVideoInfo &info = inputs.front ().video.info;
  priv->element.build_ahead ({info, info, {plan}, {priv->latched}, inputs.size ()});
}

/* The device property may have been changed in READY. */
static gboolean
gst_cl_aggregator_start (GstAggregator *aggregator)
{
  priv_of (aggregator)->frames_in_segment = 0;
  priv_of (aggregator)->last_first = {};
  priv_of (aggregator)->codes.restart ();
  priv_of (aggregator)->renegotiates = false;
  priv_of (aggregator)->refused.clear ();
  forget_repeats (GST_ELEMENT (aggregator));
  priv_of (aggregator)->refused_input.clear ();
  priv_of (aggregator)->stopping = priv_of (aggregator)->flushing = false;
  const bool starts = GST_AGGREGATOR_CLASS (gst_cl_aggregator_parent_class)->start (aggregator)
                      && element_of (aggregator).ensure_context () && priv_of (aggregator)->store.check_complete ();
  if (starts && !aggregator_description (aggregator).own_caps ())
    build_ahead (GST_CL_AGGREGATOR (aggregator));
  return starts;
}

/* Waits for the last frames' messages before the end of the stream, and for complete stats. */
static bool
finish_stream (gpointer aggregator)
{
  GstClAggregatorPrivate *priv = priv_of (aggregator);
  if (!priv->stream)
    return true;
  const bool done = run_guarded (GST_ELEMENT (aggregator), [priv] { priv->stream->drain (); });
  priv->store.set_stats (priv->stream->stats ());
  return done;
}

/* The base class requires the same, unchanging interlacing of all inputs, but inputs may differ and change. */
static gboolean
gst_cl_aggregator_sink_event (GstAggregator *aggregator, GstAggregatorPad *pad, GstEvent *event)
{
  if (!takes_event (GST_ELEMENT (aggregator), priv_of (aggregator)->refused_input, event)) {
    gst_event_unref (event);
    return FALSE;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    GstCaps *caps = nullptr;
    gst_event_parse_caps (event, &caps);
    gst_cl_aggregator_pad_note_fields (GST_PAD (pad), caps);
    event = with_interlacing (event, GST_VIDEO_AGGREGATOR (aggregator)->info);
    gst_event_parse_caps (event, &caps);
    gst_cl_aggregator_pad_note_caps (GST_PAD (pad), caps);
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE)
    finish_stream (aggregator);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    priv_of (aggregator)->flushing = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START;
  return GST_AGGREGATOR_CLASS (gst_cl_aggregator_parent_class)->sink_event (aggregator, pad, event);
}

/* inputs: whose frames come next. */
static void
make_stream (GstClAggregator *self, GstCaps *src_caps, const std::vector<AggregatorInput> &inputs)
{
  GstClAggregatorPrivate *priv = self->priv;
  if (aggregator_description (self).own_caps ())
    return priv->composition.make_stream (priv->stream, src_caps);
  if (const auto old = std::move (priv->stream))
    old->drain ();
  if (inputs.empty ())
    return;
  /* textures on any input make this a stream of textures; which frames are textures is tested for each frame */
  const bool in_gl =
      std::ranges::any_of (inputs, [] (const AggregatorInput &each) { return each.video.kind == MemoryKind::gl; });
  const InputVideo &video = inputs.front ().video;
  const Ref<GstCaps> in_caps = video.caps_in (in_gl ? MemoryKind::gl : video.kind);
  auto link = priv->element.link ({in_caps.get (), src_caps});
  priv->stream = StreamPtr (new Stream (priv->element.context (), std::move (link),
      std::array{StagePlan{&aggregator_description (self).filter, &priv->store.reporter, nullptr}}, in_caps.get (), src_caps));
  priv->settings.begin ();
}

static void
prepare_stream (GstClAggregator *self, const std::vector<AggregatorInput> &inputs)
{
  GstClAggregatorPrivate *priv = self->priv;
  const bool own = aggregator_description (self).own_caps ();
  bool relinked = false;
  for (const AggregatorInput &input : inputs) {
    if (!own)
      require_same_picture (inputs.front ().pad.get (), inputs.front ().video.info, input.pad.get (), input.video.info);
    relinked = priv->element.was_relinked (input.buffer.get ()) || relinked;
  }
  if (!own && !relinked && priv->stream && describe_same_frames (priv->stream->input_info (), inputs.front ().video.info))
    return;
  const Ref<GstCaps> caps (gst_pad_get_current_caps (GST_AGGREGATOR_SRC_PAD (self)));
  if (caps && own)
    priv->composition.prepare (priv->stream, caps.get (), inputs, relinked);
  else if (caps)
    make_stream (self, caps.get (), inputs);
}

/* Whether the result needs other caps for these frames: the input that they came from before has ended. Throws if it already
 * got others, which do not suit either. */
static bool
needs_other_caps (GstClAggregator *self, const std::vector<AggregatorInput> &inputs)
{
  if (inputs.empty () || aggregator_description (self).own_caps ())
    return false;
  GstPad *src = GST_AGGREGATOR_SRC_PAD (self);
  const GstVideoInfo &result = GST_VIDEO_AGGREGATOR (self)->info, &first = inputs.front ().video.info;
  const bool same_fields = GST_VIDEO_INFO_INTERLACE_MODE (&result) == GST_VIDEO_INFO_INTERLACE_MODE (&first);
  if (is_same_picture (result, first) && same_fields)
    return self->priv->renegotiates = false;
  if (self->priv->renegotiates)
    require_same_picture (src, result, inputs.front ().pad.get (), first);
  gst_pad_mark_reconfigure (src);
  return self->priv->renegotiates = true;
}

/* Without a frame on any input, as before the first frame, there is no result, unless the element composes. */
static GstFlowReturn
gst_cl_aggregator_create_output_buffer (GstVideoAggregator *aggregator, GstBuffer **out)
{
  GstClAggregator *self = GST_CL_AGGREGATOR (aggregator);
  gst_cl_aggregator_settle_caps (GST_ELEMENT (self));
  /* kept, because a pad that is flushed meanwhile loses its frame */
  const std::vector<AggregatorInput> &inputs = self->priv->inputs = collect_inputs (GST_ELEMENT (self));
  *out = nullptr;
  self->priv->has_no_result = inputs.empty () && !aggregator_description (self).own_caps ();
  if (self->priv->has_no_result)
    return GST_FLOW_OK;
  BufferRef buffer;
  bool waits = false;
  const bool acquired = run_guarded (GST_ELEMENT (self), [&] {
    waits = needs_other_caps (self, inputs);
    if (!waits)
      prepare_stream (self, inputs);
    if (!waits && self->priv->stream)
      buffer = self->priv->stream->acquire_output ();
  });
  if (!acquired)
    return GST_FLOW_ERROR;
  if (waits)
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  *out = buffer.release ();
  return *out ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED;
}

static FrameTimes
times_of (GstClAggregator *self, GstBuffer *out)
{
  const GstSegment &segment = GST_AGGREGATOR_PAD (GST_AGGREGATOR_SRC_PAD (self))->segment;
  return times_in (segment, GST_BUFFER_PTS (out), self->priv->frames_in_segment++,
      self->priv->stream ? &self->priv->stream->input_info () : nullptr);
}

/* The number of the next result among those made from this first input. */
static Share
next_share (GstClAggregatorPrivate *priv, const AggregatorInput &input)
{
  GstBuffer *buffer = input.buffer.get ();
  /* a pad keeps its frame while the frame is repeated, so no other frame has its address and time */
  const auto identity = std::pair (buffer, GST_BUFFER_PTS (buffer));
  priv->repetitions = std::exchange (priv->last_first, identity) == identity ? priv->repetitions + 1 : 0;
  Share share{.number = priv->repetitions};
  const GstVideoInfo &result = priv->stream->output_info ();
  const GstVideoInfo &info = input.video.info;
  if (info.fps_n > 0 && result.fps_n > 0)
    gst_util_fraction_multiply (result.fps_n, result.fps_d, info.fps_d, info.fps_n, &share.rate_n, &share.rate_d);
  return share;
}

/* Filters frames of one format. */
static void
filter_frames (GstClAggregator *self, const std::vector<AggregatorInput> &inputs, GstBuffer *out, const FrameTimes &times)
{
  GstClAggregatorPrivate *priv = self->priv;
  std::vector<GstBuffer *> buffers;
  for (const AggregatorInput &input : inputs)
    buffers.push_back (input.buffer.get ());
  const StagePlan plan{&aggregator_description (self).filter, &priv->store.reporter, nullptr};
  const auto streams_on = [priv] { return priv->element.streams_on (); };
  const Settings &settings = priv->settings.settle (
      priv->stream->rehearsal_of ({&plan, 1}, {&priv->latched, 1}, buffers.front (), buffers.size ()), streams_on);
  priv->stream->filter (priv->stream->trip_of (buffers, 0, out, times, {&settings, 1}));
  copy_picture_metadata (buffers.front (), out);
  share_metadata (out, next_share (priv, inputs.front ()));
  const GstVideoInfo &result = priv->stream->output_info ();
  const guint64 number = result.fps_n > 0 ? gst_util_uint64_scale_round (
                             GST_BUFFER_PTS (out), guint64 (result.fps_n), guint64 (result.fps_d) * GST_SECOND)
                                          : priv->frames_in_segment;
  priv->codes.count (out, buffers.front (), gint64 (number));
}

static GstFlowReturn
gst_cl_aggregator_aggregate_frames (GstVideoAggregator *aggregator, GstBuffer *out)
{
  GstClAggregator *self = GST_CL_AGGREGATOR (aggregator);
  GstClAggregatorPrivate *priv = self->priv;
  const bool own = aggregator_description (self).own_caps ();
  std::vector<AggregatorInput> inputs = std::move (priv->inputs);
  const std::vector<SourceFrame> frames = own ? priv->composition.frames (inputs) : std::vector<SourceFrame>{};
  const bool done = run_guarded (GST_ELEMENT (self), [&] {
    const FrameTimes times = times_of (self, out);
    latch_settings (priv->store, inputs, times.stream_time, priv->latched);
    if (!own)
      return filter_frames (self, inputs, out, times);
    set_fields (out, priv->stream->output_info (), inputs);
    priv->stream->filter (priv->stream->trip_of (frames, out, times, priv->latched));
  });
  if (!done)
    return GST_FLOW_ERROR;
  forget_repeats (GST_ELEMENT (self));
  priv->store.set_stats (priv->stream->stats ());
  return GST_FLOW_OK;
}

void
gst_cl_aggregator_class_set_description (GstClAggregatorClass *klass, const AggregatorDescription *description, GType pad_type)
{
  const FilterDescription &filter = description->filter;
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  klass->description = description;
  add_pad_template (element, "sink_%u", GST_PAD_SINK, GST_PAD_REQUEST, all_memory_kinds (), pad_type, filter.every_format);
  add_pad_template (
      element, "src", GST_PAD_SRC, GST_PAD_ALWAYS, all_memory_kinds (), GST_TYPE_AGGREGATOR_PAD, filter.every_format);

  GObjectClass *object = G_OBJECT_CLASS (klass);
  hand_on_properties<gst_cl_aggregator_get_store> (object);
  SettingStore::install (object, filter);
}

/* Whether a live element should make its next result now. */
static bool
is_due (GstAggregator *aggregator, GstClockTime latency)
{
  const Ref<GstClock> clock (gst_element_get_clock (GST_ELEMENT (aggregator)));
  if (GST_STATE (aggregator) != GST_STATE_PLAYING || !clock)
    return false;
  const GstSegment &segment = GST_AGGREGATOR_PAD (GST_AGGREGATOR_SRC_PAD (aggregator))->segment;
  const GstClockTime start = gst_segment_to_running_time (&segment, GST_FORMAT_TIME, segment.position);
  return !GST_CLOCK_TIME_IS_VALID (start)
         || gst_clock_get_time (clock.get ()) >= gst_element_get_base_time (GST_ELEMENT (aggregator)) + start + latency;
}

/* When all inputs of a live element have ended, GstVideoAggregator leaves the waiting to the sink, which gets no frame from this
 * element. */
static void
wait_without_inputs (GstAggregator *aggregator)
{
  const GstClockTime latency = gst_aggregator_get_latency (aggregator);
  const GstClAggregatorPrivate *priv = priv_of (aggregator);
  while (GST_CLOCK_TIME_IS_VALID (latency) && !priv->stopping && !priv->flushing && !is_due (aggregator, latency))
    g_usleep (5000);
}

static void
set_aggregator_functions (GstAggregatorClass *aggregator)
{
  aggregator->start = gst_cl_aggregator_start;
  aggregator->stop = [] (GstAggregator *aggregator) -> gboolean {
    priv_of (aggregator)->stream.reset ();
    priv_of (aggregator)->composition.clear ();
    return GST_AGGREGATOR_CLASS (gst_cl_aggregator_parent_class)->stop (aggregator);
  };
  aggregator->flush = [] (GstAggregator *aggregator) -> GstFlowReturn {
    priv_of (aggregator)->frames_in_segment = 0;
    priv_of (aggregator)->last_first = {};
    priv_of (aggregator)->codes.restart ();
    return GST_AGGREGATOR_CLASS (gst_cl_aggregator_parent_class)->flush (aggregator);
  };
  /* If downstream fails, the reason may be a frame that the device did not finish. The element reports it now, because
   * aggregate() is not called again. */
  aggregator->aggregate = [] (GstAggregator *aggregator, gboolean timeout) -> GstFlowReturn {
    priv_of (aggregator)->has_no_result = false;
    const GstClockTime position = GST_AGGREGATOR_PAD (GST_AGGREGATOR_SRC_PAD (aggregator))->segment.position;
    const GstFlowReturn flow = GST_AGGREGATOR_CLASS (gst_cl_aggregator_parent_class)->aggregate (aggregator, timeout);
    if (flow == GST_FLOW_OK && priv_of (aggregator)->has_no_result) {
      send_gap (aggregator, position);
      wait_without_inputs (aggregator);
    }
    if (flow != GST_FLOW_EOS && flow != GST_FLOW_ERROR)
      return flow;
    if (flow == GST_FLOW_ERROR && !run_guarded (GST_ELEMENT (aggregator), [&] { require_times (GST_ELEMENT (aggregator)); }))
      return flow;
    return finish_stream (aggregator) ? flow : GST_FLOW_ERROR;
  };
  aggregator->sink_event = gst_cl_aggregator_sink_event;
  constexpr auto answer_caps = [] (GstAggregator *aggregator, GstPad *pad, GstQuery *query) {
    answer_input_caps (aggregator, pad, query, aggregator_description (aggregator).own_caps ());
  };
  serve_inputs<element_of, &gst_cl_aggregator_parent_class, finish_stream, answer_caps> (aggregator);
  aggregator->src_query = [] (GstAggregator *aggregator, GstQuery *query) -> gboolean {
    return element_of (aggregator).query_context (query)
           || GST_AGGREGATOR_CLASS (gst_cl_aggregator_parent_class)->src_query (aggregator, query);
  };
  aggregator->propose_allocation = [] (GstAggregator *aggregator, GstAggregatorPad *, GstQuery *, GstQuery *query) -> gboolean {
    return element_of (aggregator).propose_allocation (query);
  };
  /* Results come from the stream's pool. */
  aggregator->decide_allocation = [] (GstAggregator *aggregator, GstQuery *query) -> gboolean {
    element_of (aggregator).decide_allocation (GST_AGGREGATOR_SRC_PAD (aggregator), query);
    return TRUE;
  };
  /* Sends caps downstream only after downstream can find this element's GL context. */
  aggregator->negotiated_src_caps = [] (GstAggregator *aggregator, GstCaps *caps) -> gboolean {
    GstClAggregator *self = GST_CL_AGGREGATOR (aggregator);
    const std::vector<AggregatorInput> inputs = collect_known_inputs (GST_ELEMENT (self));
    return run_guarded (GST_ELEMENT (self), self->priv->refused, [&] { make_stream (self, caps, inputs); })
           && GST_AGGREGATOR_CLASS (gst_cl_aggregator_parent_class)->negotiated_src_caps (aggregator, caps);
  };
}

static void
gst_cl_aggregator_class_init (GstClAggregatorClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  object->constructed = [] (GObject *object) {
    G_OBJECT_CLASS (gst_cl_aggregator_parent_class)->constructed (object);
    GST_CL_AGGREGATOR (object)->priv =
        new GstClAggregatorPrivate (GST_ELEMENT (object), aggregator_description (object).filter);
  };
  delete_with_instance<&GstClAggregator::priv, &gst_cl_aggregator_parent_class> (object);
  /* this class handles the properties of every element, the subclass the others */
  hand_on_properties<element_of> (object);
  constexpr auto store_if_made = [] (gpointer self) { return priv_of (self) ? &priv_of (self)->store : nullptr; };
  publish_settings<store_if_made, &gst_cl_aggregator_parent_class> (object);
  ClElement::install_properties (object);

  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  element->request_new_pad = [] (GstElement *element, GstPadTemplate *templ, const gchar *name,
                                 const GstCaps *caps) -> GstPad * {
    GstPad *pad = GST_ELEMENT_CLASS (gst_cl_aggregator_parent_class)->request_new_pad (element, templ, name, caps);
    if (pad)
      gst_child_proxy_child_added (GST_CHILD_PROXY (element), G_OBJECT (pad), GST_OBJECT_NAME (pad));
    return pad;
  };
  element->release_pad = [] (GstElement *element, GstPad *pad) {
    gst_child_proxy_child_removed (GST_CHILD_PROXY (element), G_OBJECT (pad), GST_OBJECT_NAME (pad));
    GST_ELEMENT_CLASS (gst_cl_aggregator_parent_class)->release_pad (element, pad);
  };
  constexpr auto relink = [] (GstElement *self) { gst_pad_mark_reconfigure (GST_AGGREGATOR_SRC_PAD (self)); };
  hand_on_contexts<element_of, &gst_cl_aggregator_parent_class, relink> (element);
  element->change_state = [] (GstElement *element, GstStateChange transition) {
    if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
      priv_of (element)->stopping = true;
    return change_state_with_device<element_of, &gst_cl_aggregator_parent_class> (element, transition);
  };

  set_aggregator_functions (GST_AGGREGATOR_CLASS (klass));
  GstVideoAggregatorClass *video = GST_VIDEO_AGGREGATOR_CLASS (klass);
  video->update_caps = [] (GstVideoAggregator *aggregator, GstCaps *downstream) -> GstCaps * {
    gst_cl_aggregator_settle_caps (GST_ELEMENT (aggregator));
    GstAggregator *base = GST_AGGREGATOR (aggregator);
    const bool own = aggregator_description (aggregator).own_caps ();
    GstCaps *caps = caps_of_result (element_of (aggregator), base, downstream, own);
    /* the base class does not fixate caps that downstream has fixed, which may leave the colorimetry open */
    const auto fixate = GST_AGGREGATOR_GET_CLASS (base)->fixate_src_caps;
    return own && gst_caps_is_fixed (caps) ? fixate (base, caps) : caps;
  };
  video->create_output_buffer = gst_cl_aggregator_create_output_buffer;
  video->aggregate_frames = gst_cl_aggregator_aggregate_frames;
}

static void
gst_cl_aggregator_init (GstClAggregator *)
{
  /* constructed() sets priv from the subclass's description, because the instance still has this class here */
}
