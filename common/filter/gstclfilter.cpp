/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/gstclfilter.hpp"

#include "core/debug.hpp"
#include "filter/framecounter.hpp"
#include "filter/stream.hpp"

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clfilter", "base of the OpenCL filters">)

using namespace gst::cl;

#define GST_CL_FILTER(obj) (reinterpret_cast<GstClFilter *> (obj))
#define GST_CL_FILTER_GET_CLASS(obj) (G_TYPE_INSTANCE_GET_CLASS ((obj), GST_TYPE_CL_FILTER, GstClFilterClass))

struct GstClFilterPrivate {
  GstClFilterPrivate (GstElement *element, const FilterDescription &description)
      : store (element, description), plan{&description, &store.reporter, nullptr}
  {
  }

  SettingStore store;
  StagePlan plan;

  /* streaming thread only */
  std::vector<Settings> frame_settings;
  /* the buffer for which frame_settings were latched ahead */
  GstBuffer *latched_for = nullptr;
  FrameTimes frame_times;
  FrameCounter counter;
  StreamPtr stream;
  LateChange change;
  /* whether the frame at hand cannot be filtered, which is reported */
  bool failed = false;
  /* the mask pad's, too */
  MaskHolderRef mask = std::make_shared<MaskHolder> ();
  /* whether the last frame needed a second try */
  bool recovered = false;
  /* why the last caps were refused; upstream tries them again with every buffer */
  std::string refused;
};

G_DEFINE_ABSTRACT_TYPE (GstClFilter, gst_cl_filter, GST_TYPE_CL_BASE_TRANSFORM)

const FilterDescription &
gst_cl_filter_get_description (gpointer self)
{
  return *GST_CL_FILTER_GET_CLASS (self)->description;
}

SettingStore &
gst_cl_filter_get_store (gpointer self)
{
  return GST_CL_FILTER (self)->priv->store;
}

const StagePlan &
gst_cl_filter_get_plan (gpointer self)
{
  return GST_CL_FILTER (self)->priv->plan;
}

MaskHolderRef &
gst_cl_filter_get_mask (gpointer self)
{
  return GST_CL_FILTER (self)->priv->mask;
}

/* Drops the stream. Throws if its last frames failed. */
static void
drop_stream (GstClFilterPrivate *priv)
{
  if (const auto stream = std::move (priv->stream))
    stream->drain ();
}

const Values *
gst_cl_filter_get_values (GstClFilter *self)
{
  return self->priv->frame_settings.empty () ? nullptr : &self->priv->frame_settings.front ().own;
}

static std::vector<StagePlan>
stages_of (GstClFilter *self)
{
  const auto stages = GST_CL_FILTER_GET_CLASS (self)->stages;
  return stages ? stages (self) : std::vector{self->priv->plan};
}

static bool
converts (GstClFilter *self)
{
  return stages_of (self).front ().description->converts ();
}

static void
make_stream (GstClFilter *self, GstCaps *in_caps, GstCaps *out_caps)
{
  ClElement &element = gst_cl_base_transform_get_element (self);
  drop_stream (self->priv);
  self->priv->change.begin ();
  auto links = element.link ({in_caps, out_caps});
  MemoryLinks out_links;
  if (converts (self) && memory_kind (in_caps) == MemoryKind::gl && memory_kind (out_caps) == MemoryKind::gl)
    out_links = element.link ({out_caps});
  self->priv->stream =
      StreamPtr (new Stream (element.context (), std::move (links), stages_of (self), in_caps, out_caps, out_links));
}

static void
make_stream_again (GstClFilter *self)
{
  gst_cl_base_transform_with_current_caps (
      GST_CL_BASE_TRANSFORM (self), [self] (GstCaps *in_caps, GstCaps *out_caps) { make_stream (self, in_caps, out_caps); });
}

static void
refresh_stream (GstClFilter *self, GstBuffer *buffer)
{
  if (gst_cl_base_transform_get_element (self).was_relinked (buffer))
    make_stream_again (self);
}

/* Call this in a handler. If objects shared with OpenCL are lost, the frame is tried again with a new link; losing two frames
 * in a row is an error. */
static void
share_again (GstClFilter *self)
{
  GstClFilterPrivate *priv = self->priv;
  try {
    throw;
  } catch (const ::cl::Error &error) {
    if (!priv->stream->is_linked () || !is_loss (error.err ()) || std::exchange (priv->recovered, true))
      throw;
    GST_WARNING_OBJECT (self, "%s: %s; sharing memory again", error.what (), gst::cl::error_name (error.err ()).c_str ());
    gst_cl_base_transform_get_element (self).forget_context ();
    make_stream_again (self);
  }
}

static void
publish_stats (GstClFilter *self)
{
  GstClFilterPrivate *priv = self->priv;
  priv->store.set_stats (priv->stream->stats ());
  if (GST_CL_FILTER_GET_CLASS (self)->filtered)
    GST_CL_FILTER_GET_CLASS (self)->filtered (self, *priv->stream);
}

[[gnu::always_inline]] static inline GstFlowReturn
filter_frame (GstClFilter *self, std::span<GstBuffer *const> inputs, size_t main, GstBuffer *out)
{
  GstClFilterPrivate *priv = self->priv;
  const auto trip = [&] { return priv->stream->trip_of (inputs, main, out, priv->frame_times, priv->frame_settings); };
  try {
    priv->stream->filter (trip ());
    priv->recovered = false;
  } catch (...) {
    const auto try_again = [&] {
      share_again (self);
      priv->stream->filter (trip ());
    };
    if (!run_guarded (GST_ELEMENT (self), try_again))
      return GST_FLOW_ERROR;
  }
  forget_repeats (GST_ELEMENT (self));
  publish_stats (self);
  return GST_FLOW_OK;
}

static GstFlowReturn
gst_cl_filter_transform (GstBaseTransform *base, GstBuffer *in, GstBuffer *out)
{
  return filter_frame (GST_CL_FILTER (base), {&in, 1}, 0, out);
}

GstFlowReturn
gst_cl_filter_run (GstClFilter *self, std::span<GstBuffer *const> inputs, size_t main, GstBuffer *out, guint64 first_input,
    unsigned job, bool is_result)
{
  self->priv->frame_times.first_input = first_input;
  self->priv->frame_times.job = job;
  self->priv->frame_times.is_result = is_result;
  /* without a stream, a lost context could not be replaced */
  return self->priv->stream ? filter_frame (self, inputs, main, out) : GST_FLOW_NOT_NEGOTIATED;
}

bool
gst_cl_filter_drain (GstClFilter *self)
{
  if (!self->priv->stream)
    return true;
  const bool done = run_guarded (GST_ELEMENT (self), [self] { self->priv->stream->drain (); });
  publish_stats (self);
  return done;
}

/* Elements with an operation of their own check this themselves. */
static bool
is_ready_for (GstClFilter *self, GstBuffer *buffer, std::span<const StagePlan> stages, std::span<const Settings> settings)
{
  GstClFilterPrivate *priv = self->priv;
  GstClFilterClass *klass = GST_CL_FILTER_GET_CLASS (self);
  if (!priv->stream || klass->create_operation)
    return true;
  const size_t inputs = klass->inputs ? klass->inputs (settings.front ().own) : 1;
  return priv->change.is_ready (priv->stream->rehearsal_of (stages, settings, buffer, inputs, inputs / 2),
      [self] { return gst_cl_base_transform_get_element (self).streams_on (); });
}

static void
latch_settings (GstClFilter *self, GstBuffer *buffer)
{
  GstClFilterPrivate *priv = self->priv;
  if (priv->stream)
    refresh_stream (self, buffer);
  const GstSegment &segment = GST_BASE_TRANSFORM (self)->segment;
  const GstClockTime time = times_in (segment, GST_BUFFER_TIMESTAMP (buffer), 0, nullptr).stream_time;
  const auto is_ready = [&] (std::span<const StagePlan> stages, std::span<const Settings> settings) {
    return is_ready_for (self, buffer, stages, settings);
  };
  if (const auto latch = GST_CL_FILTER_GET_CLASS (self)->latch) {
    if (latch (self, time, priv->frame_settings, is_ready) && priv->stream) {
      StreamPtr stream = std::move (priv->stream); /* a failure ends it: its stages would not fit the settings */
      stream->set_stages (stages_of (self));
      priv->stream = std::move (stream);
    }
    return;
  }
  const Settings wanted = priv->store.latch (time);
  if (is_ready ({&priv->plan, 1}, {&wanted, 1}) || priv->frame_settings.empty ())
    priv->frame_settings.assign (1, wanted);
}

bool
gst_cl_filter_latch (GstClFilter *self, GstBuffer *buffer)
{
  self->priv->latched_for = buffer;
  return run_guarded (GST_ELEMENT (self), [&] { latch_settings (self, buffer); });
}

static void
gst_cl_filter_before_transform (GstBaseTransform *base, GstBuffer *buffer)
{
  GstClFilter *self = GST_CL_FILTER (base);
  GstClFilterPrivate *priv = self->priv;
  bool passes = false;
  priv->failed = !run_guarded (GST_ELEMENT (self), [&] {
    if (std::exchange (priv->latched_for, nullptr) != buffer)
      latch_settings (self, buffer);
    priv->frame_times = priv->counter.next (
        base->segment, GST_BUFFER_TIMESTAMP (buffer), priv->stream ? &priv->stream->input_info () : nullptr);
    if (priv->stream)
      priv->stream->enter (priv->frame_settings, buffer, priv->mask->mask_for (self, base->segment, buffer));
    passes = priv->stream && priv->stream->same_memory () && priv->stream->is_neutral (priv->frame_settings, buffer);
  });
  if (passes != gst_base_transform_is_passthrough (base))
    gst_base_transform_set_passthrough (base, passes);
}

/* Starts building the programs before frames come, so that the first frames of a live source are not late. */
static void
build_ahead (GstClFilter *self, const GstVideoInfo &in, const GstVideoInfo &out)
{
  GstClFilterClass *klass = GST_CL_FILTER_GET_CLASS (self);
  ClElement &element = gst_cl_base_transform_get_element (self);
  const auto build = [&] (std::span<const StagePlan> stages, std::span<const Settings> settings) {
    const Values &own = settings.front ().own;
    if (!klass->builds_ahead || klass->builds_ahead (own, in, out))
      element.build_ahead ({in, out, {stages.begin (), stages.end ()}, {settings.begin (), settings.end ()},
          klass->inputs ? klass->inputs (own) : 1, self->priv->mask->expected ()});
    return true;
  };
  if (std::vector<Settings> settings; klass->latch && !klass->create_operation)
    klass->latch (self, GST_CLOCK_TIME_NONE, settings, build);
  else
    build ({&self->priv->plan, 1}, std::array{self->priv->store.latch (GST_CLOCK_TIME_NONE)});
}

static gboolean
gst_cl_filter_start (GstBaseTransform *base)
{
  GstClFilter *self = GST_CL_FILTER (base);
  self->priv->refused.clear ();
  forget_repeats (GST_ELEMENT (self));
  self->priv->counter.restart (true);
  if (!GST_BASE_TRANSFORM_CLASS (gst_cl_filter_parent_class)->start (base) || !self->priv->store.check_complete ())
    return FALSE;
  self->priv->mask->join (self);
  if (const auto video = gst_cl_base_transform_expect_video (&self->parent))
    build_ahead (self, video->first, video->second);
  return TRUE;
}

static GstFlowReturn
gst_cl_filter_prepare_output_buffer (GstBaseTransform *base, GstBuffer *in, GstBuffer **out)
{
  GstClFilter *self = GST_CL_FILTER (base);
  if (self->priv->failed)
    return GST_FLOW_ERROR;
  if (gst_base_transform_is_passthrough (base))
    return gst_cl_base_transform_pass (GST_CL_BASE_TRANSFORM (self), in, out);
  if (!self->priv->stream)
    return GST_FLOW_NOT_NEGOTIATED;
  BufferRef buffer;
  const bool acquired = run_guarded (GST_ELEMENT (self), [&] {
    /* a renegotiation after before_transform() may have changed the context */
    refresh_stream (self, in);
    buffer = self->priv->stream->acquire_output ();
  });
  if (!acquired)
    return GST_FLOW_ERROR;
  *out = buffer.release ();
  if (!GST_BASE_TRANSFORM_CLASS (gst_cl_filter_parent_class)->copy_metadata (base, in, *out))
    GST_WARNING_OBJECT (self, "metadata could not be copied");
  return GST_FLOW_OK;
}

/* Called for frames that pass unchanged; some filters observe them. */
static GstFlowReturn
gst_cl_filter_transform_ip (GstBaseTransform *base, GstBuffer *buffer)
{
  GstClFilter *self = GST_CL_FILTER (base);
  GstClFilterPrivate *priv = self->priv;
  if (!priv->stream || priv->frame_settings.empty () || !priv->stream->observes (priv->frame_settings))
    return GST_FLOW_OK;
  return gst_cl_filter_run (self, {&buffer, 1}, 0, nullptr);
}

static GstFlowReturn
gst_cl_filter_generate_output (GstBaseTransform *base, GstBuffer **out)
{
  const bool ends = base->queued_buf && ends_segment (base->segment, base->queued_buf);
  const GstFlowReturn flow = GST_BASE_TRANSFORM_CLASS (gst_cl_filter_parent_class)->generate_output (base, out);
  if (ends)
    gst_cl_filter_drain (GST_CL_FILTER (base));
  return flow;
}

static gboolean
gst_cl_filter_sink_event (GstBaseTransform *base, GstEvent *event)
{
  GstClFilter *self = GST_CL_FILTER (base);
  const bool begins = GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT, flushed = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP;
  if (begins || flushed) {
    self->priv->counter.restart (flushed);
    self->priv->mask->restart ();
    if (self->priv->stream)
      self->priv->stream->forget_regions ();
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE) {
    gst_cl_filter_drain (self); /* messages must come before EOS */
    self->priv->mask->end ();
  }
  return GST_BASE_TRANSFORM_CLASS (gst_cl_filter_parent_class)->sink_event (base, event);
}

void
gst_cl_filter_class_set_description (GstClFilterClass *klass, const FilterDescription *description)
{
  klass->description = description;
  gst_cl_base_transform_class_set_memory (
      &klass->parent_class, all_memory_kinds (), all_memory_kinds (), description->every_format, description->whole_frames);
  if (description->has_regions ())
    add_mask_pad<gst_cl_filter_get_mask> (GST_ELEMENT_CLASS (klass));
  GST_BASE_TRANSFORM_CLASS (klass)->transform_ip_on_passthrough = description->observes != nullptr;

  GObjectClass *object = G_OBJECT_CLASS (klass);
  hand_on_properties<gst_cl_filter_get_store> (object);
  SettingStore::install (object, *description);
}

static void
gst_cl_filter_class_init (GstClFilterClass *klass)
{
  G_OBJECT_CLASS (klass)->constructed = [] (GObject *object) {
    GstClFilter *self = GST_CL_FILTER (object);
    G_OBJECT_CLASS (gst_cl_filter_parent_class)->constructed (object);
    self->priv = new GstClFilterPrivate (GST_ELEMENT (self), gst_cl_filter_get_description (self));
    if (const auto create = GST_CL_FILTER_GET_CLASS (self)->create_operation)
      self->priv->plan.create = [create, self] { return create (self); };
    gst_base_transform_set_qos_enabled (GST_BASE_TRANSFORM (self), TRUE);
  };
  delete_with_instance<&GstClFilter::priv, &gst_cl_filter_parent_class> (G_OBJECT_CLASS (klass));
  constexpr auto store_if_made = [] (gpointer self) {
    return GST_CL_FILTER (self)->priv ? &gst_cl_filter_get_store (self) : nullptr;
  };
  publish_settings<store_if_made, &gst_cl_filter_parent_class> (G_OBJECT_CLASS (klass));

  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  base->start = gst_cl_filter_start;
  base->stop = [] (GstBaseTransform *base) -> gboolean {
    GST_CL_FILTER (base)->priv->mask->leave (base);
    g_autoptr (GError) error = nullptr;
    if (!run_guarded (&error, [base] { drop_stream (GST_CL_FILTER (base)->priv); }))
      GST_INFO_OBJECT (base, "frames that are no longer needed failed: %s", error->message);
    return TRUE;
  };
  base->set_caps = [] (GstBaseTransform *base, GstCaps *in_caps, GstCaps *out_caps) -> gboolean {
    GstClFilter *self = GST_CL_FILTER (base);
    if (const auto learn_caps = GST_CL_FILTER_GET_CLASS (base)->parent_class.learn_caps)
      learn_caps (&self->parent, in_caps, out_caps);
    return run_guarded (GST_ELEMENT (self), self->priv->refused, [&] {
      make_stream (self, in_caps, out_caps);
      /* before_transform() runs before a renegotiation, so it set passthrough for the old caps */
      gst_base_transform_set_passthrough (base, FALSE);
    });
  };
  base->before_transform = gst_cl_filter_before_transform;
  base->prepare_output_buffer = gst_cl_filter_prepare_output_buffer;
  /* The base class's answer holds for frames of the same caps. */
  base->transform_meta = [] (GstBaseTransform *base, GstBuffer *out, GstMeta *meta, GstBuffer *in) -> gboolean {
    const Stream *stream = GST_CL_FILTER (base)->priv->stream.get ();
    if (converts (GST_CL_FILTER (base)) && stream && !describe_same_frames (stream->input_info (), stream->output_info ()))
      if (const std::optional<bool> stays = convert_meta (meta, in, stream->input_info (), out, stream->output_info ()))
        return *stays;
    return GST_BASE_TRANSFORM_CLASS (gst_cl_filter_parent_class)->transform_meta (base, out, meta, in);
  };
  base->transform = gst_cl_filter_transform;
  base->transform_ip = gst_cl_filter_transform_ip;
  base->generate_output = gst_cl_filter_generate_output;
  base->query = [] (GstBaseTransform *base, GstPadDirection direction, GstQuery *query) -> gboolean {
    if (GST_QUERY_TYPE (query) == GST_QUERY_DRAIN && direction == GST_PAD_SINK)
      gst_cl_filter_drain (GST_CL_FILTER (base));
    return GST_BASE_TRANSFORM_CLASS (gst_cl_filter_parent_class)->query (base, direction, query);
  };
  base->sink_event = gst_cl_filter_sink_event;
  base->src_event = [] (GstBaseTransform *base, GstEvent *event) -> gboolean {
    const MaskSeek seek (*GST_CL_FILTER (base)->priv->mask, event);
    return GST_BASE_TRANSFORM_CLASS (gst_cl_filter_parent_class)->src_event (base, event);
  };
  base->transform_ip_on_passthrough = FALSE;
}

static void
gst_cl_filter_init (GstClFilter *)
{
  /* constructed() sets priv from the subclass's description, because the instance still has this class here */
}
