/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clflip: crops, mirrors and rotates video. Pixel values do not change. */
#include "filter/gstclfilter.hpp"
#include "filter/settingstore.hpp"
#include "flip/flip.hpp"
#include "shared/pointer.hpp"
#include "shared/region.hpp"

#include <array>
#include <mutex>
#include <optional>

namespace gst::cl::clflip {

struct FlipSettings {
  GstVideoOrientationMethod direction = GST_VIDEO_ORIENTATION_IDENTITY;
  int left = 0, right = 0, top = 0, bottom = 0;

  bool goes_by_tags () const { return direction == GST_VIDEO_ORIENTATION_AUTO; }
};

constexpr Property properties[] = {
    property<&FlipSettings::direction> ("video-direction",
        "How the picture is mirrored or rotated; auto follows the stream's orientation tag",
        gst_video_orientation_method_get_type),
    property<&FlipSettings::left> ("left", "Pixels to crop on the left; -1 as downstream asks", -1, G_MAXINT),
    property<&FlipSettings::right> ("right", "Pixels to crop on the right; -1 as downstream asks", -1, G_MAXINT),
    property<&FlipSettings::top> ("top", "Pixels to crop at the top; -1 as downstream asks", -1, G_MAXINT),
    property<&FlipSettings::bottom> ("bottom", "Pixels to crop at the bottom; -1 as downstream asks", -1, G_MAXINT),
};

const FilterDescription description{
    .long_name = "OpenCL video flipper",
    .description = "Crops, mirrors and rotates video",
    .properties = properties,
    .operation = {OperationType::Kind::converter, copy_settings<FlipSettings>},
    .neutral = of_settings<[] (const FlipSettings &settings) {
      return settings.direction == GST_VIDEO_ORIENTATION_IDENTITY && settings.left <= 0 && settings.right <= 0
             && settings.top <= 0 && settings.bottom <= 0;
    }>,
    .whole_frames = true,
};

struct FlipData {
  /** The flip with which both pads' caps were negotiated. Only the streaming thread changes it; that thread reads it without
   *  the lock. */
  Flip current;
  /** Protects current and negotiated, which tells whether caps have come since the start. */
  std::mutex mutex;
  bool negotiated = false;
  /** Streaming thread only: whether current has changed since the last frame. */
  bool changed = false;
  /** The orientation of the stream's tags and of the global tags, by GstTagScope. */
  std::array<std::optional<GstVideoOrientationMethod>, 2> tagged;
  /* how many queries are under way, and the flip that they see before there are caps; under the mutex */
  unsigned n_queries = 0;
  std::optional<Flip> queried;
};

static void
implement_direction (GType type)
{
  const GInterfaceInfo info{};
  g_type_add_interface_static (type, GST_TYPE_VIDEO_DIRECTION, &info);
}

GST_CL_DEFINE_FILTER_TYPE (GstClFlip, gst_cl_flip, clflip, GstClFilter, GST_TYPE_CL_FILTER, description, FlipData,
                           implement_direction (g_define_type_id);)

#define GST_CL_FLIP(obj) (reinterpret_cast<GstClFlip *> (obj))

static Flip
crop_of (const FlipSettings &settings)
{
  return {.left = settings.left, .right = settings.right, .top = settings.top, .bottom = settings.bottom};
}

/* Call this with the lock held. */
static Flip
flip_of (GstClFlip *self, const Values &values)
{
  const auto &settings = values.as<FlipSettings> ();
  Flip flip = crop_of (settings);
  GstVideoOrientationMethod method = settings.direction;
  if (settings.goes_by_tags ()) {
    const auto &[of_stream, of_all] = self->data->tagged;
    method = of_stream.value_or (of_all.value_or (GST_VIDEO_ORIENTATION_IDENTITY));
  }
  set_orientation (flip, method);
  return flip;
}

/* Streaming thread. */
static void
take_flip (GstClFlip *self, const Values &values)
{
  const std::lock_guard lock (self->data->mutex);
  self->data->negotiated = true;
  if (std::exchange (self->data->current, flip_of (self, values)) != self->data->current)
    self->data->changed = true;
}

/* Updates caps and operation here, because the base class calls set_caps () only for new caps. */
static bool
gst_cl_flip_latch (
    GstClFilter *filter, GstClockTime stream_time, std::vector<Settings> &settings, const GstClFilterClass::IsReady &)
{
  GstClFlip *self = GST_CL_FLIP (filter);
  settings.assign (1, gst_cl_filter_get_store (filter).latch (stream_time));
  take_flip (self, settings.front ().own);
  if (self->data->changed)
    gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (self));
  return self->data->changed;
}

/* Until there are caps, neighbours see the current properties. */
static Flip
flip_for_caps (GstClFlip *self)
{
  const Values values = gst_cl_filter_get_store (&self->parent).own_values ();
  const std::lock_guard lock (self->data->mutex);
  if (self->data->negotiated)
    return self->data->current;
  return self->data->queried ? *self->data->queried : flip_of (self, values);
}

/* A query transforms caps in both directions, with the same properties. Other queries may block. */
static gboolean
gst_cl_flip_query (GstBaseTransform *base, GstPadDirection direction, GstQuery *query)
{
  GstClFlip *self = GST_CL_FLIP (base);
  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS && GST_QUERY_TYPE (query) != GST_QUERY_ACCEPT_CAPS)
    return GST_BASE_TRANSFORM_CLASS (gst_cl_flip_parent_class)->query (base, direction, query);
  const Flip flip = flip_for_caps (self);
  {
    const std::lock_guard lock (self->data->mutex);
    if (self->data->n_queries++ == 0)
      self->data->queried = flip;
  }
  const gboolean answered = GST_BASE_TRANSFORM_CLASS (gst_cl_flip_parent_class)->query (base, direction, query);
  const std::lock_guard lock (self->data->mutex);
  if (--self->data->n_queries == 0)
    self->data->queried.reset ();
  return answered;
}

/* Crops as little as possible if the size of the crop is open. */
static GstCaps *
gst_cl_flip_fixate_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  if (direction == GST_PAD_SINK && flip_for_caps (GST_CL_FLIP (base)).may_crop ()) {
    other = gst_caps_make_writable (other);
    for (guint i = 0; i < gst_caps_get_size (other); i++)
      for (const char *field : {"width", "height"})
        gst_structure_fixate_field_nearest_int (gst_caps_get_structure (other, i), field, G_MAXINT);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_cl_flip_parent_class)->fixate_caps (base, direction, caps, other);
}

/* The result is upright: no element downstream should rotate it again. */
static GstEvent *
take_tags (GstClFlip *self, GstEvent *event)
{
  GstTagList *tags;
  gst_event_parse_tag (event, &tags);
  GstVideoOrientationMethod method;
  if (!gst_video_orientation_from_tag (tags, &method))
    return event;
  {
    const std::lock_guard lock (self->data->mutex);
    self->data->tagged[gst_tag_list_get_scope (tags) == GST_TAG_SCOPE_STREAM ? 0 : 1] = method;
  }
  if (!gst_cl_filter_get_store (&self->parent).own_values ().as<FlipSettings> ().goes_by_tags ())
    return event;
  tags = gst_tag_list_copy (tags);
  gst_tag_list_add (tags, GST_TAG_MERGE_REPLACE, GST_TAG_IMAGE_ORIENTATION, "rotate-0", nullptr);
  GstEvent *upright = gst_event_new_tag (tags);
  gst_event_set_seqnum (upright, gst_event_get_seqnum (event));
  gst_event_unref (event);
  return upright;
}

static void
require_rest (const Flip &flip, const GstVideoInfo &info)
{
  if (!kept_part (flip, info).empty ())
    return;
  const auto text = [] (int n) { return std::to_string (n); };
  throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "The crop of " + text (flip.left) + " and " + text (flip.right) + " columns, " + text (flip.top) + " and "
          + text (flip.bottom) + " rows leaves nothing of frames of " + text (GST_VIDEO_INFO_WIDTH (&info)) + "x"
          + text (GST_VIDEO_INFO_HEIGHT (&info)) + ". Set smaller values for left, right, top or bottom.",
      "");
}

/* Reports an error if a crop leaves nothing of frames with these caps. Reports it once, though upstream tries the caps again
 * with every buffer. */
static bool
leaves_something (GstClFlip *self, GstCaps *caps)
{
  GstVideoInfo info;
  if (!video_info_from_caps (info, caps))
    return true;
  if (!run_guarded (GST_ELEMENT (self), [&] { require_rest (self->data->current, info); }))
    return false;
  forget_repeats (GST_ELEMENT (self));
  return true;
}

static gboolean
gst_cl_flip_sink_event (GstBaseTransform *base, GstEvent *event)
{
  GstClFlip *self = GST_CL_FLIP (base);
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    const std::lock_guard lock (self->data->mutex);
    self->data->tagged = {};
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_TAG) {
    event = take_tags (self, event);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    GstCaps *caps;
    gst_event_parse_caps (event, &caps);
    take_flip (self, gst_cl_filter_get_store (&self->parent).own_values ());
    if (!leaves_something (self, caps)) {
      gst_event_unref (event);
      return FALSE;
    }
  }
  return GST_BASE_TRANSFORM_CLASS (gst_cl_flip_parent_class)->sink_event (base, event);
}

static GstFlowReturn
gst_cl_flip_submit_input_buffer (GstBaseTransform *base, gboolean is_discont, GstBuffer *input)
{
  GstClFlip *self = GST_CL_FLIP (base);
  bool possible = true;
  if (std::exchange (self->data->changed, false))
    gst_cl_base_transform_with_current_caps (
        GST_CL_BASE_TRANSFORM (self), [&] (GstCaps *in_caps, GstCaps *) { possible = leaves_something (self, in_caps); });
  if (!possible) {
    gst_buffer_unref (input);
    return GST_FLOW_ERROR;
  }
  return GST_BASE_TRANSFORM_CLASS (gst_cl_flip_parent_class)->submit_input_buffer (base, is_discont, input);
}

/* With `auto`, upright video passes as well. */
static void
gst_cl_flip_before_transform (GstBaseTransform *base, GstBuffer *buffer)
{
  GST_BASE_TRANSFORM_CLASS (gst_cl_flip_parent_class)->before_transform (base, buffer);
  const Flip &flip = GST_CL_FLIP (base)->data->current;
  if (gst_base_transform_is_passthrough (base) || flip.crops () || flip.turns ())
    return;
  gst_cl_base_transform_with_current_caps (GST_CL_BASE_TRANSFORM (base), [base] (GstCaps *in_caps, GstCaps *out_caps) {
    if (gst_caps_is_equal (in_caps, out_caps))
      gst_base_transform_set_passthrough (base, TRUE);
  });
}

/* Moves metas that have a position. */
static gboolean
gst_cl_flip_transform_meta (GstBaseTransform *base, GstBuffer *out, GstMeta *meta, GstBuffer *in)
{
  const Flip &flip = GST_CL_FLIP (base)->data->current;
  if (!flip.may_crop () && !flip.turns ())
    return GST_BASE_TRANSFORM_CLASS (gst_cl_flip_parent_class)->transform_meta (base, out, meta, in);
  Rect kept{};
  gst_cl_base_transform_with_current_caps (GST_CL_BASE_TRANSFORM (base), [&] (GstCaps *in_caps, GstCaps *out_caps) {
    GstVideoInfo info, result;
    if (video_info_from_caps (info, in_caps) && video_info_from_caps (result, out_caps))
      kept = kept_part (flip, info, &result);
  });
  const auto place = [&] (const Rect &rect) {
    const Rect now = place_in_result (flip, kept, rect);
    return now.empty () ? std::nullopt : std::optional (now);
  };
  if (add_moved (out, meta, place))
    return FALSE;
  for (const char *tag : {GST_META_TAG_VIDEO_SIZE_STR, GST_META_TAG_VIDEO_ORIENTATION_STR})
    if (gst_meta_api_type_has_tag (meta->info->api, g_quark_from_static_string (tag)))
      return FALSE;
  return GST_BASE_TRANSFORM_CLASS (gst_cl_flip_parent_class)->transform_meta (base, out, meta, in);
}

/* Pointers are converted to the input's coordinates. */
static void
place_pointer (const Flip &flip, const Rect &kept, double &x, double &y)
{
  if (flip.turned)
    std::swap (x, y);
  x = kept.x + (flip.mirror_x ? kept.width - 1 - x : x);
  y = kept.y + (flip.mirror_y ? kept.height - 1 - y : y);
}

static gboolean
gst_cl_flip_src_event (GstBaseTransform *base, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION)
    gst_cl_base_transform_with_current_caps (GST_CL_BASE_TRANSFORM (base), [&] (GstCaps *in_caps, GstCaps *out_caps) {
      const Flip flip = flip_for_caps (GST_CL_FLIP (base));
      GstVideoInfo info, result;
      if (video_info_from_caps (info, in_caps) && video_info_from_caps (result, out_caps))
        event = move_pointer (
            event, [&, kept = kept_part (flip, info, &result)] (double &x, double &y) { place_pointer (flip, kept, x, y); });
    });
  return GST_BASE_TRANSFORM_CLASS (gst_cl_flip_parent_class)->src_event (base, event);
}

static void
gst_cl_flip_class_init (GstClFlipClass *klass)
{
  delete_with_instance<&GstClFlip::data, &gst_cl_flip_parent_class, true> (G_OBJECT_CLASS (klass));
  gst_cl_filter_class_set_description (&klass->parent_class, &description);
  klass->parent_class.create_operation = [] (GstClFilter *filter) {
    return make_flip_operation (flip_for_caps (GST_CL_FLIP (filter)));
  };
  klass->parent_class.latch = gst_cl_flip_latch;
  /* a crop that leaves nothing is refused with the caps */
  klass->parent_class.builds_ahead = [] (const Values &values, const GstVideoInfo &in, const GstVideoInfo &) {
    return !kept_part (crop_of (values.as<FlipSettings> ()), in).empty ();
  };
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  base->transform_caps = [] (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *filter) -> GstCaps * {
    g_autoptr (GstCaps) flipped = flip_caps (flip_for_caps (GST_CL_FLIP (base)), direction, caps);
    return GST_BASE_TRANSFORM_CLASS (gst_cl_flip_parent_class)->transform_caps (base, direction, flipped, filter);
  };
  klass->parent_class.parent_class.open_caps = [] (GstClBaseTransform *self, GstCaps *possible) -> GstCaps * {
    return flip_for_caps (GST_CL_FLIP (self)).may_crop () ? gst_cl_put_changed_first (self, possible) : gst_caps_ref (possible);
  };
  base->fixate_caps = gst_cl_flip_fixate_caps;
  base->query = gst_cl_flip_query;
  base->sink_event = gst_cl_flip_sink_event;
  base->submit_input_buffer = gst_cl_flip_submit_input_buffer;
  base->before_transform = gst_cl_flip_before_transform;
  base->transform_meta = gst_cl_flip_transform_meta;
  base->src_event = gst_cl_flip_src_event;
  base->stop = [] (GstBaseTransform *base) -> gboolean {
    {
      const std::lock_guard lock (GST_CL_FLIP (base)->data->mutex);
      GST_CL_FLIP (base)->data->negotiated = false;
      GST_CL_FLIP (base)->data->tagged = {};
    }
    return GST_BASE_TRANSFORM_CLASS (gst_cl_flip_parent_class)->stop (base);
  };
}

}  // namespace gst::cl::clflip
