/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/gstclfilter.hpp"

#include "filter/stream.hpp"

#include <map>
#include <set>

GST_DEBUG_CATEGORY_STATIC (gst_cl_filter_debug);
#define GST_CAT_DEFAULT gst_cl_filter_debug

using namespace gst::cl;

#define GST_CL_FILTER(obj) (reinterpret_cast<GstClFilter *> (obj))
#define GST_CL_FILTER_GET_CLASS(obj) (G_TYPE_INSTANCE_GET_CLASS ((obj), GST_TYPE_CL_FILTER, GstClFilterClass))

struct GstClFilterPrivate {
  explicit GstClFilterPrivate (const FilterDescription &description)
      : set{Values (description.properties), Values (common_properties (description.windowed))}, live (set)
  {
  }

  /* under the object lock: `set` as the properties read, `live` what the next frame takes; a whole g_object_set() goes
   * from one to the other at once */
  Settings set, live;
  /* texts that were refused while no valid one had been set, by property */
  std::map<unsigned, std::string> complaints;
  /* texts of which a valid value was set once */
  std::set<unsigned> accepted;
  StreamStats stats;

  /* the streaming thread's */
  std::optional<Settings> frame_settings;
  std::unique_ptr<Stream> stream;
  /* whether the last frame needed a second try */
  bool recovered = false;
  /* why the last caps were refused; upstream tries them again with every buffer */
  std::string refused;
};

/* A filter's own properties are 1, 2, ...; these follow far behind. */
enum { PROP_COMMON = 1000, PROP_STATS = 2000 };

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstClFilter, gst_cl_filter, GST_TYPE_CL_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (gst_cl_filter_debug, "clfilter", 0, "base of the OpenCL filters"))

static const FilterDescription &
description_of (gpointer self)
{
  return *GST_CL_FILTER_GET_CLASS (self)->description;
}

static GstStructure *
make_stats (const StreamStats &stats)
{
  const KernelTimes &times = stats.times;
  return gst_structure_new ("application/x-gst-cl-stats", "device", G_TYPE_STRING, stats.device.c_str (), "path",
      G_TYPE_STRING, stats.path.c_str (), "algorithm", G_TYPE_STRING, stats.algorithm.c_str (), "frames", G_TYPE_UINT64,
      stats.frames, "bytes-uploaded", G_TYPE_UINT64, stats.frame_counts.uploaded, "bytes-downloaded", G_TYPE_UINT64,
      stats.frame_counts.downloaded, "kernel-time-ns-last", G_TYPE_UINT64, times.last_ns, "kernel-time-ns-mean",
      G_TYPE_UINT64, times.frames ? times.total_ns / times.frames : 0, "kernel-time-ns-max", G_TYPE_UINT64,
      times.max_ns, "builds", G_TYPE_UINT64, stats.builds.builds, "build-ms", G_TYPE_UINT64,
      guint64 (stats.builds.build_ms), "cache-hits", G_TYPE_UINT64, stats.builds.cache_hits, "allocations",
      G_TYPE_UINT64, stats.allocations, "gl-image-hits", G_TYPE_UINT64, stats.gl.image_hits, "gl-image-misses",
      G_TYPE_UINT64, stats.gl.image_misses, "gl-texture-copies", G_TYPE_UINT64, stats.gl.texture_copies,
      "gl-staged-frames", G_TYPE_UINT64, stats.staged_frames, nullptr);
}

/* The table, the values and the index in both that a property id stands for. */
struct Slot {
  std::span<const Property> table;
  Values &values;
  unsigned index;
};

static Slot
find_slot (GstClFilter *self, guint id)
{
  const FilterDescription &description = description_of (self);
  if (id >= PROP_COMMON)
    return {common_properties (description.windowed), self->priv->set.common, id - PROP_COMMON};
  return {description.properties, self->priv->set.own, id - 1};
}

/* A text that does not parse is refused: the old value stays. If there was no valid one, start() will fail. */
static bool
accept_text (GstClFilter *self, guint id, const Property &property, const GValue *value)
{
  const FilterDescription &description = description_of (self);
  if (id >= PROP_COMMON || property.kind != PropertyKind::text || !description.complaint)
    return true;
  const unsigned index = id - 1;
  const gchar *text = g_value_get_string (value);
  const std::optional<std::string> complaint = description.complaint (index, text ? text : "");
  GST_OBJECT_LOCK (self);
  if (!complaint) {
    self->priv->accepted.insert (index);
    self->priv->complaints.erase (index);
  } else if (!self->priv->accepted.contains (index)) {
    self->priv->complaints[index] = *complaint;
  }
  GST_OBJECT_UNLOCK (self);
  if (complaint)
    GST_WARNING_OBJECT (self, "%s refused: %s", property.name, complaint->c_str ());
  return !complaint;
}

static void
gst_cl_filter_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstClFilter *self = GST_CL_FILTER (object);
  const Slot slot = find_slot (self, id);
  if (slot.index >= slot.table.size ()) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  const Property &property = slot.table[slot.index];
  if (!accept_text (self, id, property, value))
    return;
  GST_OBJECT_LOCK (self);
  slot.values.set (slot.index, property, value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cl_filter_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstClFilter *self = GST_CL_FILTER (object);
  const Slot slot = find_slot (self, id);
  GST_OBJECT_LOCK (self);
  if (id == PROP_STATS)
    g_value_take_boxed (value, make_stats (self->priv->stats));
  else if (slot.index < slot.table.size ())
    slot.values.get (slot.index, slot.table[slot.index], value);
  GST_OBJECT_UNLOCK (self);
  if (id != PROP_STATS && slot.index >= slot.table.size ())
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

/* Only what this set has set: another thread may be in the middle of one of its own. */
static void
publish (GstClFilter *self, GParamSpec *pspec)
{
  if (pspec->owner_type != G_OBJECT_TYPE (self) || pspec->param_id == PROP_STATS)
    return;
  const bool common = pspec->param_id >= PROP_COMMON;
  const unsigned index = pspec->param_id - (common ? guint (PROP_COMMON) : 1u);
  const Values &from = common ? self->priv->set.common : self->priv->set.own;
  Values &to = common ? self->priv->live.common : self->priv->live.own;
  to.copy (index, from);
}

/* Called once at the end of a g_object_set(), however many properties it set: no frame sees half of them. */
static void
gst_cl_filter_dispatch_properties_changed (GObject *object, guint n, GParamSpec **pspecs)
{
  GstClFilter *self = GST_CL_FILTER (object);
  if (self->priv) {
    GST_OBJECT_LOCK (self);
    for (guint i = 0; i < n; i++)
      publish (self, pspecs[i]);
    GST_OBJECT_UNLOCK (self);
  }
  G_OBJECT_CLASS (gst_cl_filter_parent_class)->dispatch_properties_changed (object, n, pspecs);
}

static Settings
latch_settings (GstClFilter *self, GstBuffer *buffer)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);
  const GstClockTime stream_time =
      base->segment.format == GST_FORMAT_TIME
          ? gst_segment_to_stream_time (&base->segment, GST_FORMAT_TIME, GST_BUFFER_TIMESTAMP (buffer))
          : GST_CLOCK_TIME_NONE;
  if (GST_CLOCK_TIME_IS_VALID (stream_time))
    gst_object_sync_values (GST_OBJECT (self), stream_time);
  GST_OBJECT_LOCK (self);
  Settings settings = self->priv->live;
  GST_OBJECT_UNLOCK (self);
  return settings;
}

static void
make_stream (GstClFilter *self, GstCaps *in_caps, GstCaps *out_caps)
{
  GstClBaseTransform *base = GST_CL_BASE_TRANSFORM (self);
  self->priv->stream.reset ();
  auto link = gst_cl_base_transform_link_gl (base, in_caps, out_caps);
  self->priv->stream = std::make_unique<Stream> (gst_cl_base_transform_get_context (base), std::move (link),
      description_of (self), in_caps, out_caps);
}

static void
make_stream_again (GstClFilter *self)
{
  gst_cl_base_transform_with_current_caps (GST_CL_BASE_TRANSFORM (self),
      [self] (GstCaps *in_caps, GstCaps *out_caps) { make_stream (self, in_caps, out_caps); });
}

static void
refresh_stream (GstClFilter *self, GstBuffer *buffer)
{
  if (gst_cl_base_transform_was_relinked (GST_CL_BASE_TRANSFORM (self), buffer))
    make_stream_again (self);
}

/* What a driver says when a device, or what is shared with GL, was lost. */
static bool
is_loss (const ::cl::Error &error)
{
  constexpr cl_int nvidia_illegal_access = -9999;
  switch (error.err ()) {
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
    case CL_INVALID_GL_OBJECT:
    case CL_INVALID_COMMAND_QUEUE:
    case nvidia_illegal_access:
      return true;
    default:
      return false;
  }
}

/* One loss of what GL and OpenCL share is made good by sharing anew; two frames in a row are not. */
static void
filter_frame (GstClFilter *self, GstBuffer *in, GstBuffer *out)
{
  GstClFilterPrivate *priv = self->priv;
  try {
    priv->stream->filter (in, out, *priv->frame_settings);
    priv->recovered = false;
  } catch (const ::cl::Error &error) {
    if (!priv->stream->has_textures () || !is_loss (error) || std::exchange (priv->recovered, true))
      throw;
    GST_WARNING_OBJECT (self, "%s: %s; sharing with GL anew", error.what (), gst::cl::error_name (error.err ()));
    gst_cl_base_transform_forget_context (GST_CL_BASE_TRANSFORM (self));
    make_stream_again (self);
    priv->stream->filter (in, out, *priv->frame_settings);
  }
}

static void
gst_cl_filter_before_transform (GstBaseTransform *base, GstBuffer *buffer)
{
  GstClFilter *self = GST_CL_FILTER (base);
  GstClFilterPrivate *priv = self->priv;
  bool passes = false;
  run_guarded (GST_ELEMENT (self), [&] {
    if (priv->stream)
      refresh_stream (self, buffer);
    priv->frame_settings = latch_settings (self, buffer);
    passes =
        priv->stream && priv->stream->same_memory () && priv->stream->is_neutral (*priv->frame_settings, buffer);
  });
  if (passes != gst_base_transform_is_passthrough (base))
    gst_base_transform_set_passthrough (base, passes);
}

static gboolean
gst_cl_filter_start (GstBaseTransform *base)
{
  GstClFilter *self = GST_CL_FILTER (base);
  if (!GST_BASE_TRANSFORM_CLASS (gst_cl_filter_parent_class)->start (base))
    return FALSE;
  self->priv->refused.clear ();
  GST_OBJECT_LOCK (self);
  const std::map<unsigned, std::string> complaints = self->priv->complaints;
  self->priv->stats = {};
  GST_OBJECT_UNLOCK (self);
  if (complaints.empty ())
    return TRUE;
  const auto &[index, complaint] = *complaints.begin ();
  GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
      ("The property %s is not valid: %s", description_of (self).properties[index].name, complaint.c_str ()), (NULL));
  return FALSE;
}

static gboolean
gst_cl_filter_stop (GstBaseTransform *base)
{
  GST_CL_FILTER (base)->priv->stream.reset ();
  return TRUE;
}

static gboolean
gst_cl_filter_set_caps (GstBaseTransform *base, GstCaps *in_caps, GstCaps *out_caps)
{
  GstClFilter *self = GST_CL_FILTER (base);
  return run_guarded (GST_ELEMENT (self), self->priv->refused, [&] {
    make_stream (self, in_caps, out_caps);
    /* decided for the old caps by before_transform(), which runs ahead of a renegotiation */
    gst_base_transform_set_passthrough (base, FALSE);
  });
}

static GstFlowReturn
gst_cl_filter_prepare_output_buffer (GstBaseTransform *base, GstBuffer *in, GstBuffer **out)
{
  GstClFilter *self = GST_CL_FILTER (base);
  if (gst_base_transform_is_passthrough (base)) {
    *out = in;
    return GST_FLOW_OK;
  }
  if (!self->priv->stream)
    return GST_FLOW_NOT_NEGOTIATED;
  BufferRef buffer;
  const bool acquired = run_guarded (GST_ELEMENT (self), [&] {
    /* a renegotiation, which comes after before_transform(), may have changed the context */
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

static GstFlowReturn
gst_cl_filter_transform (GstBaseTransform *base, GstBuffer *in, GstBuffer *out)
{
  GstClFilter *self = GST_CL_FILTER (base);
  GstClFilterPrivate *priv = self->priv;
  if (!run_guarded (GST_ELEMENT (self), [&] { filter_frame (self, in, out); }))
    return GST_FLOW_ERROR;
  StreamStats stats = priv->stream->stats ();
  GST_OBJECT_LOCK (self);
  priv->stats = std::move (stats);
  GST_OBJECT_UNLOCK (self);
  return GST_FLOW_OK;
}

static void
gst_cl_filter_constructed (GObject *object)
{
  GstClFilter *self = GST_CL_FILTER (object);
  G_OBJECT_CLASS (gst_cl_filter_parent_class)->constructed (object);
  self->priv = new GstClFilterPrivate (description_of (self));
  gst_base_transform_set_qos_enabled (GST_BASE_TRANSFORM (self), TRUE);
}

static void
gst_cl_filter_finalize (GObject *object)
{
  delete GST_CL_FILTER (object)->priv;
  G_OBJECT_CLASS (gst_cl_filter_parent_class)->finalize (object);
}

void
gst_cl_filter_class_set_description (GstClFilterClass *klass, const FilterDescription *description)
{
  klass->description = description;
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), description->long_name, description->klass,
      description->description, "The gst-plugins-cl developers");
  gst_cl_base_transform_class_set_memory (&klass->parent_class, all_memory_kinds (), all_memory_kinds ());

  GObjectClass *object = G_OBJECT_CLASS (klass);
  object->set_property = gst_cl_filter_set_property;
  object->get_property = gst_cl_filter_get_property;
  const auto install = [object] (std::span<const Property> table, guint first_id) {
    for (const Property &property : table)
      g_object_class_install_property (object, first_id++, make_param_spec (property));
  };
  install (description->properties, 1);
  install (common_properties (description->windowed), PROP_COMMON);
  /**
   * GstClFilter:stats:
   *
   * Device, path, algorithm and counts since the stream began.
   */
  g_object_class_install_property (object, PROP_STATS,
      g_param_spec_boxed ("stats", nullptr, "Device, path, algorithm and counts since the stream began",
          GST_TYPE_STRUCTURE, GParamFlags (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

static void
gst_cl_filter_class_init (GstClFilterClass *klass)
{
  G_OBJECT_CLASS (klass)->constructed = gst_cl_filter_constructed;
  G_OBJECT_CLASS (klass)->finalize = gst_cl_filter_finalize;
  G_OBJECT_CLASS (klass)->dispatch_properties_changed = gst_cl_filter_dispatch_properties_changed;

  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  base->start = gst_cl_filter_start;
  base->stop = gst_cl_filter_stop;
  base->set_caps = gst_cl_filter_set_caps;
  base->before_transform = gst_cl_filter_before_transform;
  base->prepare_output_buffer = gst_cl_filter_prepare_output_buffer;
  base->transform = gst_cl_filter_transform;
  base->transform_ip_on_passthrough = FALSE;
}

static void
gst_cl_filter_init (GstClFilter *)
{
  /* the class is still this one here; priv follows the subclass's description in constructed() */
}
