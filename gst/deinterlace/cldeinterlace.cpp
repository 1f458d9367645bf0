/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cldeinterlace: deinterlaces video: each field becomes a whole frame, so motion stays as smooth as it was recorded. */
#include "deinterlace/fields.hpp"
#include "filter/gstclwindowfilter.hpp"
#include "filter/settingstore.hpp"

#include <atomic>
#include <mutex>

namespace gst::cl::cldeinterlace {

constexpr GEnumValue method_values[] = {
    {int (DeinterlaceMethod::bwdif), "Filters in space and time, limited by rows of other times", "bwdif"},
    {int (DeinterlaceMethod::yadif), "Along edges, limited by rows of other times", "yadif"},
    {int (DeinterlaceMethod::linear), "Mean of the rows above and below, without latency", "linear"},
    {int (DeinterlaceMethod::weave), "Rows of the previous field", "weave"},
    {int (DeinterlaceMethod::motion), "bwdif, made steady along the motion of the picture", "motion"},
    {},
};

constexpr GEnumValue fields_values[] = {
    {int (FieldChoice::all), "A frame from every field", "all"},
    {int (FieldChoice::top), "A frame from every top field", "top"},
    {int (FieldChoice::bottom), "A frame from every bottom field", "bottom"},
    {int (FieldChoice::by_rate), "All if downstream accepts that many frames, otherwise the first of each frame", "auto"},
    {},
};

constexpr GEnumValue mode_values[] = {
    {int (DeinterlaceMode::automatic), "Interlaced frames; progressive ones pass, and what only passing can link", "auto"},
    {int (DeinterlaceMode::always), "Every frame, regardless of caps and flags", "always"},
    {int (DeinterlaceMode::always), "As always", "interlaced"},
    {int (DeinterlaceMode::disabled), "None", "disabled"},
    {int (DeinterlaceMode::strict), "As auto; interlaced formats that are not supported are refused", "auto-strict"},
    {},
};

constexpr Property properties[] = {
    property<&DeinterlaceSettings::method> (
        "method", "How missing rows are made", enum_type<"GstClDeinterlaceMethod", method_values>),
    property<&DeinterlaceSettings::fields> (
        "fields", "Fields that become frames", enum_type<"GstClDeinterlaceFields", fields_values>),
    property<&DeinterlaceSettings::mode> ("mode", "Frames to deinterlace", enum_type<"GstClDeinterlaceMode", mode_values>),
};

DeinterlaceMethod
method_of (const Values &values)
{
  return values.as<DeinterlaceSettings> ().method;
}

const FilterDescription description{
    .long_name = "OpenCL deinterlacer",
    .klass = "Filter/Effect/Video/Deinterlace/Hardware",
    .description = "Deinterlaces video: each field becomes a frame",
    .properties = properties,
    .operation = deinterlace_operation (),
    .reach =
        [] (const Values &values) {
          const unsigned reach = reach_of (method_of (values));
          return FrameReach{.before = reach, .after = reach};
        },
};

/* How to handle the stream, according to the caps of both pads. */
struct Negotiated {
  GstVideoInfo info{};
  DeinterlaceSettings settings;
  bool doubles = false, same_memory = true;
  /* Whether a frame has the plane layout of the other pad's frames: interlaced chroma may have one more row. */
  bool same_layout = true;
  /* why the last caps were refused */
  std::string refused{};
};

struct DeinterlaceData {
  Negotiated caps; /* used by the streaming thread */
  gint passes = 0; /* atomic: whether all frames pass */
  /* The settings for which caps are negotiated, once there are caps: a negotiation asks for them several times, and must not see
   * them change. The streaming thread sets them under the mutex. */
  std::mutex mutex;
  std::optional<DeinterlaceSettings> settings;
  std::atomic<bool> changed = false;
};

GST_CL_DEFINE_FILTER_TYPE (GstClDeinterlace, gst_cl_deinterlace, cldeinterlace, GstClWindowFilter, GST_TYPE_CL_WINDOW_FILTER,
    description, DeinterlaceData)

#define GST_CL_DEINTERLACE(obj) (reinterpret_cast<GstClDeinterlace *> (obj))

DeinterlaceSettings
properties_of (GstClDeinterlace *self)
{
  return gst_cl_filter_get_store (self).own_values ().as<DeinterlaceSettings> ();
}

/* Until there are caps, neighbours see the current properties. */
DeinterlaceSettings
settings_of (GstClDeinterlace *self)
{
  const DeinterlaceSettings now = properties_of (self);
  const std::lock_guard lock (self->data->mutex);
  return self->data->settings.value_or (now);
}

void
set_settings (GstClDeinterlace *self, const std::optional<DeinterlaceSettings> &settings)
{
  const std::lock_guard lock (self->data->mutex);
  self->data->settings = settings;
}

/* Progressive frames between interlaced ones wait as well, to keep the order. */
size_t
gst_cl_deinterlace_reach (GstClWindowFilter *filter, const Values &values)
{
  return g_atomic_int_get (&GST_CL_DEINTERLACE (filter)->data->passes) ? 0 : reach_of (method_of (values));
}

bool
frame_passes (GstClDeinterlace *self, GstBuffer *buffer)
{
  return !self->data->caps.settings.always () && !is_interlaced (self->data->caps.info, buffer);
}

unsigned
gst_cl_deinterlace_results (GstClWindowFilter *filter, const FrameQueue::Window &window)
{
  GstClDeinterlace *self = GST_CL_DEINTERLACE (filter);
  GstBuffer *buffer = window.frames[window.main].get ();
  return self->data->caps.doubles && !frame_passes (self, buffer) ? fields_of (self->data->caps.info, buffer).count : 1;
}

/* Adds the frame's own plane layout if it differs from the source pad's caps. */
BufferRef
with_own_layout (GstClDeinterlace *self, GstBuffer *buffer)
{
  if (self->data->caps.same_layout || gst_buffer_get_video_meta (buffer))
    return BufferRef::retain (buffer);
  GstVideoInfo &info = self->data->caps.info;
  BufferRef described (make_writable (GST_ELEMENT (self), gst_buffer_ref (buffer)));
  if (described)
    gst_buffer_add_video_meta_full (described.get (), GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT (&info),
        guint (info.width), guint (info.height), info.finfo->n_planes, info.offset, info.stride);
  return described;
}

/* Passes the frame itself if possible. */
GstFlowReturn
pass_on (GstClDeinterlace *self, GstBuffer *buffer, GstBuffer **out)
{
  run_guarded (GST_ELEMENT (self), [&] {
    if (const BufferRef described = with_own_layout (self, buffer))
      *out = gst_cl_base_transform_get_element (self)
                 .for_downstream (GST_BASE_TRANSFORM_SRC_PAD (self), described.get ())
                 .release ();
  });
  return *out ? GST_FLOW_OK : GST_FLOW_ERROR;
}

/* Whether the fields before and after field i belong to a regular sequence of fields. */
bool
is_between (GstClDeinterlace *self, const FrameQueue::Window &window, const ShownFields &fields, const FieldJob &job)
{
  if (fields.count != 2 || (job.is_second ? window.main + 1 >= window.frames.size () : window.main == 0))
    return false;
  GstBuffer *other = window.frames[job.is_second ? window.main + 1 : window.main - 1].get ();
  const ShownFields beside = fields_of (self->data->caps.info, other);
  return !frame_passes (self, other) && beside.count == 2 && beside.top_first == fields.top_first;
}

FieldJob
job_for (GstClDeinterlace *self, const ShownFields &fields, unsigned i)
{
  const FieldChoice choice = self->data->caps.settings.fields;
  FieldJob job;
  job.is_alone = fields.count == 1;
  if (fields.count > 1 && (choice == FieldChoice::top || choice == FieldChoice::bottom))
    job.keeps_bottom = choice == FieldChoice::bottom;
  else
    job.keeps_bottom = fields.is_bottom (i);
  job.is_second = fields.count > 1 && job.keeps_bottom == fields.top_first;
  return job;
}

GstFlowReturn
gst_cl_deinterlace_make (GstClWindowFilter *filter, const FrameQueue::Window &window, unsigned i, GstBuffer **out)
{
  GstClDeinterlace *self = GST_CL_DEINTERLACE (filter);
  GstBuffer *buffer = window.frames[window.main].get ();
  const GstVideoInfo &info = self->data->caps.info;
  const bool passes = frame_passes (self, buffer);
  const bool weaves = method_of (*gst_cl_filter_get_values (&filter->parent)) == DeinterlaceMethod::weave;
  const bool is_woven = !self->data->caps.doubles && weaves;
  const bool stays = passes || is_woven || gst_base_transform_is_passthrough (GST_BASE_TRANSFORM (self));
  const ShownFields fields = fields_of (info, buffer);

  GstBuffer *made = nullptr;
  const bool doubles = self->data->caps.doubles && !passes;
  const unsigned field = doubles && window.backwards ? fields.count - 1 - i : i;
  FieldJob job = job_for (self, fields, field);
  if (weaves && field == 2)
    job.is_second = true; /* the field before a repeated one is the second of the frame */
  job.is_copy = stays;
  job.is_between = is_between (self, window, fields, job);
  const GstFlowReturn flow = stays && self->data->caps.same_memory
                                 ? pass_on (self, buffer, &made)
                                 : gst_cl_window_filter_make (filter, window, job.packed (), &made);
  if (flow != GST_FLOW_OK || (passes && !has_field_flags (made) && !(self->data->caps.doubles && has_time_code (made)))) {
    *out = made;
    return flow;
  }
  if (!(made = make_writable (GST_ELEMENT (self), made)))
    return GST_FLOW_ERROR;
  clear_field_flags (made);
  if (doubles) {
    GstBuffer *next = window.main + 1 < window.frames.size () ? window.frames[window.main + 1].get () : nullptr;
    GstBuffer *last = window.main > 0 ? window.frames[window.main - 1].get () : nullptr;
    set_times (made, GST_BUFFER_PTS (buffer), duration_of (info, buffer, fields, next, last), field, fields.count);
  }
  if (i > 0)
    clear_place (made);
  share_metadata (made, {.number = field, .rate_n = self->data->caps.doubles ? 2 : 1, .is_progressive = true});
  *out = made;
  return GST_FLOW_OK;
}

/* Returns the caps of deinterlaced frames first, then the caps that pass. */
GstCaps *
gst_cl_deinterlace_transform_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  const DeinterlaceSettings settings = settings_of (GST_CL_DEINTERLACE (base));
  GstCaps *result = passing_caps (caps, settings);
  if (settings.mode != DeinterlaceMode::disabled) {
    g_autoptr (GstCaps) frames = as_frames (gst_caps_ref (caps));
    g_autoptr (GstCaps) usable = usable_caps (frames);
    g_autoptr (GstCaps) fields = field_caps (usable, direction, settings);
    GstCaps *made =
        GST_BASE_TRANSFORM_CLASS (gst_cl_deinterlace_parent_class)->transform_caps (base, direction, fields, nullptr);
    if (direction == GST_PAD_SRC)
      made = with_single_fields (made);
    result = gst_caps_merge (made, result);
  }
  if (filter)
    gst_caps_take (&result, gst_caps_intersect_full (filter, result, GST_CAPS_INTERSECT_FIRST));
  return result;
}

/* Whether downstream takes deinterlaced frames at any rate. */
bool
takes_progressive (GstBaseTransform *base, GstCaps *caps)
{
  g_autoptr (GstCaps) peer = gst_pad_peer_query_caps (GST_BASE_TRANSFORM_SRC_PAD (base), nullptr);
  g_autoptr (GstCaps) progressive = gst_caps_copy (caps);
  GstStructure *structure = gst_caps_get_structure (progressive, 0);
  gst_structure_set (structure, "interlace-mode", G_TYPE_STRING, "progressive", nullptr);
  gst_structure_remove_fields (structure, "framerate", "max-framerate", "field-order", nullptr);
  g_autoptr (GstCaps) anywhere = with_memory (progressive, all_memory_kinds ());
  return gst_caps_can_intersect (peer, anywhere);
}

/* Like deinterlace: interlaced frames pass if nothing else links, but not only for a framerate. */
GstCaps *
fixate_passing (GstBaseTransform *base, GstCaps *caps, GstCaps *other)
{
  const DeinterlaceSettings settings = settings_of (GST_CL_DEINTERLACE (base));
  g_autoptr (GstCaps) passing = passing_caps (caps, settings);
  GstVideoInfo info;
  const bool is_interlaced = video_info_from_caps (info, caps) && GST_VIDEO_INFO_IS_INTERLACED (&info);
  if (settings.mode != DeinterlaceMode::disabled && is_interlaced && can_deinterlace (caps) && takes_progressive (base, caps))
    return gst_caps_new_empty ();
  return gst_caps_intersect_full (other, passing, GST_CAPS_INTERSECT_FIRST);
}

/* Queries left interlacing open, so it is decided here. The parent class chooses memory in `other`, and keeps the rest of it.
 * Without a peer, `other` equals the incoming caps. */
GstCaps *
gst_cl_deinterlace_fixate_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  const DeinterlaceSettings settings = settings_of (GST_CL_DEINTERLACE (base));
  const bool is_free = direction == GST_PAD_SINK && !gst_pad_is_linked (GST_BASE_TRANSFORM_SRC_PAD (base));
  g_autoptr (GstCaps) frames = as_frames (gst_caps_ref (caps));
  g_autoptr (GstCaps) usable = settings.mode == DeinterlaceMode::disabled ? gst_caps_new_empty () : usable_caps (frames);
  g_autoptr (GstCaps) fields = field_caps (usable, direction, settings, true);
  g_autoptr (GstCaps) anywhere = with_memory (fields, all_memory_kinds ());
  GstCaps *possible = is_free ? gst_caps_ref (anywhere) : gst_caps_intersect_full (other, anywhere, GST_CAPS_INTERSECT_FIRST);
  if (!gst_caps_is_empty (possible)) {
    gst_caps_unref (other);
    return GST_BASE_TRANSFORM_CLASS (gst_cl_deinterlace_parent_class)->fixate_caps (base, direction, fields, possible);
  }
  gst_caps_take (&possible, fixate_passing (base, caps, other));
  gst_caps_unref (other);
  return gst_caps_is_empty (possible) ? possible : gst_caps_fixate (gst_cl_keep_defaults (caps, possible));
}

/* Such caps are accepted first, only to post this error. */
bool
refuse_single_fields (GstClDeinterlace *self)
{
  return run_guarded (GST_ELEMENT (self), self->data->caps.refused, [] {
    throw Failure (GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "cldeinterlace does not take video of one field per buffer (interlace-mode=alternate).",
        "The memory of OpenCL elements holds whole frames. Have the source or decoder put both fields into one buffer, or use "
        "deinterlace.");
  });
}

/* The waiting frames have the old caps, whichever pad's caps have changed. */
gboolean
gst_cl_deinterlace_set_caps (GstBaseTransform *base, GstCaps *in_caps, GstCaps *out_caps)
{
  GstClDeinterlace *self = GST_CL_DEINTERLACE (base);
  gst_cl_window_filter_drain (&self->parent);
  GstVideoInfo out;
  Negotiated caps{.settings = settings_of (self), .same_memory = memory_kind (in_caps) == memory_kind (out_caps)};
  if (!video_info_from_caps (caps.info, in_caps) || !video_info_from_caps (out, out_caps))
    return FALSE;
  const bool is_idle =
      caps.settings.mode == DeinterlaceMode::disabled || !can_deinterlace (in_caps) || GST_VIDEO_INFO_IS_INTERLACED (&out);
  const bool passes = is_idle || (!caps.settings.always () && !GST_VIDEO_INFO_IS_INTERLACED (&caps.info));
  caps.doubles = !passes && has_field_rate (caps.info, out, caps.settings);
  for (guint i = 0; i < caps.info.finfo->n_planes; i++)
    caps.same_layout &= caps.info.offset[i] == out.offset[i] && caps.info.stride[i] == out.stride[i];
  if (has_single_fields (in_caps) && !gst_caps_is_equal (in_caps, out_caps))
    return refuse_single_fields (self);
  self->data->caps = caps;
  g_atomic_int_set (&self->data->passes, passes);
  gst_cl_window_filter_set_idle (&self->parent, is_idle);
  return is_idle || GST_BASE_TRANSFORM_CLASS (gst_cl_deinterlace_parent_class)->set_caps (base, in_caps, out_caps);
}

void
gst_cl_deinterlace_notify (GObject *object, GParamSpec *pspec)
{
  if (g_str_equal (pspec->name, "fields") || g_str_equal (pspec->name, "mode"))
    GST_CL_DEINTERLACE (object)->data->changed = true;
}

gboolean
gst_cl_deinterlace_sink_event (GstBaseTransform *base, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
    set_settings (GST_CL_DEINTERLACE (base), properties_of (GST_CL_DEINTERLACE (base)));
  return GST_BASE_TRANSFORM_CLASS (gst_cl_deinterlace_parent_class)->sink_event (base, event);
}

GstFlowReturn
gst_cl_deinterlace_submit_input_buffer (GstBaseTransform *base, gboolean is_discont, GstBuffer *input)
{
  GstClDeinterlace *self = GST_CL_DEINTERLACE (base);
  if (self->data->changed.exchange (false)) {
    set_settings (self, properties_of (self));
    gst_base_transform_reconfigure_src (base);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_cl_deinterlace_parent_class)->submit_input_buffer (base, is_discont, input);
}

gboolean
gst_cl_deinterlace_stop (GstBaseTransform *base)
{
  set_settings (GST_CL_DEINTERLACE (base), {});
  return GST_BASE_TRANSFORM_CLASS (gst_cl_deinterlace_parent_class)->stop (base);
}

void
gst_cl_deinterlace_class_init (GstClDeinterlaceClass *klass)
{
  gst_cl_filter_class_set_description (&klass->parent_class.parent_class, &description);
  klass->parent_class.parent_class.inputs = [] (const Values &values) { return 2 * reach_of (method_of (values)) + 1; };
  klass->parent_class.parent_class.builds_ahead = [] (const Values &values, const GstVideoInfo &in, const GstVideoInfo &out) {
    const auto &settings = values.as<DeinterlaceSettings> ();
    return settings.mode != DeinterlaceMode::disabled && !GST_VIDEO_INFO_IS_INTERLACED (&out)
           && (settings.always () || GST_VIDEO_INFO_IS_INTERLACED (&in));
  };
  /* else a source would choose interlaced frames at downstream's rate, which are refused */
  klass->parent_class.parent_class.parent_class.open_caps = gst_cl_put_changed_first;
  klass->parent_class.reach = gst_cl_deinterlace_reach;
  klass->parent_class.results = gst_cl_deinterlace_results;
  klass->parent_class.make = gst_cl_deinterlace_make;
  G_OBJECT_CLASS (klass)->notify = gst_cl_deinterlace_notify;
  delete_with_instance<&GstClDeinterlace::data, &gst_cl_deinterlace_parent_class> (G_OBJECT_CLASS (klass));
  for (const auto &[name, way] : {std::pair ("sink", GST_PAD_SINK), {"src", GST_PAD_SRC}}) {
    g_autoptr (GstCaps) caps = make_template_caps (all_memory_kinds (), true);
    gst_caps_append (caps, gst_caps_from_string ("video/x-raw(ANY)"));
    gst_element_class_add_pad_template (GST_ELEMENT_CLASS (klass), gst_pad_template_new (name, way, GST_PAD_ALWAYS, caps));
  }
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  base->transform_caps = gst_cl_deinterlace_transform_caps;
  base->fixate_caps = gst_cl_deinterlace_fixate_caps;
  base->set_caps = gst_cl_deinterlace_set_caps;
  base->sink_event = gst_cl_deinterlace_sink_event;
  base->submit_input_buffer = gst_cl_deinterlace_submit_input_buffer;
  base->stop = gst_cl_deinterlace_stop;
}

}  // namespace gst::cl::cldeinterlace
