/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/gstclaggregatorpad.hpp"

#include "interop/caps.hpp"

#include <algorithm>

using namespace gst::cl;

#define GST_CL_AGGREGATOR_PAD(obj) (reinterpret_cast<GstClAggregatorPad *> (obj))
#define GST_CL_AGGREGATOR_PAD_GET_CLASS(obj)                                                                                   \
  (G_TYPE_INSTANCE_GET_CLASS ((obj), GST_TYPE_CL_AGGREGATOR_PAD, GstClAggregatorPadClass))

struct GstClAggregatorPadPrivate {
  GstClAggregatorPadPrivate (GstPad *pad_, const AggregatorDescription &description_)
      : pad (pad_), description (description_), values (description.pad_settings)
  {
  }

  /* as in GObjectClass; false for an id of the parent class */
  bool set_property (guint id, const GValue *value)
  {
    if (id < 1 || id > description.pad_properties.size ())
      return false;
    const ObjectLock lock (pad);
    values.set (description.pad_properties[id - 1], value);
    return true;
  }
  bool get_property (guint id, GValue *value) const
  {
    if (id < 1 || id > description.pad_properties.size ())
      return false;
    const ObjectLock lock (pad);
    values.get (description.pad_properties[id - 1], value);
    return true;
  }

  GstPad *const pad;
  const AggregatorDescription &description;
  /* protected by the pad's object lock */
  Values values;
  /* streaming thread only: the info of caps that already apply to the next frame */
  std::optional<GstVideoInfo> settled;
  /* of the last caps and of the caps before them, which frames may still have; protected by the pad's object lock, too */
  std::array<std::optional<InputVideo>, 2> sent;
  /* the frame at hand when the last caps came, which still has the caps before: not owned, with its time */
  std::pair<GstBuffer *, GstClockTime> last_before{};
};

G_DEFINE_ABSTRACT_TYPE (GstClAggregatorPad, gst_cl_aggregator_pad, GST_TYPE_VIDEO_AGGREGATOR_PAD)

static const AggregatorDescription &
description_of (gpointer pad)
{
  return *GST_CL_AGGREGATOR_PAD_GET_CLASS (pad)->description;
}

Values
gst_cl_aggregator_pad_latch (GstPad *pad)
{
  const ObjectLock lock (pad);
  return GST_CL_AGGREGATOR_PAD (pad)->priv->values;
}

void
gst_cl_aggregator_pad_note_caps (GstPad *pad, GstCaps *caps)
{
  auto &settled = GST_CL_AGGREGATOR_PAD (pad)->priv->settled;
  GstVideoInfo info;
  settled.reset ();
  if (!gst_video_aggregator_pad_has_current_buffer (GST_VIDEO_AGGREGATOR_PAD (pad)) && gst_video_info_from_caps (&info, caps))
    settled = info;
}

static std::pair<GstBuffer *, GstClockTime>
frame_at_hand (GstPad *pad)
{
  GstBuffer *frame = gst_video_aggregator_pad_get_current_buffer (GST_VIDEO_AGGREGATOR_PAD (pad));
  return {frame, frame ? GST_BUFFER_PTS (frame) : GST_CLOCK_TIME_NONE};
}

void
gst_cl_aggregator_pad_note_fields (GstPad *pad, GstCaps *caps)
{
  GST_CL_AGGREGATOR_PAD (pad)->priv->last_before = frame_at_hand (pad);
  auto &[last, before] = GST_CL_AGGREGATOR_PAD (pad)->priv->sent;
  GstVideoInfo info;
  const ObjectLock lock (pad);
  if (gst_video_info_from_caps (&info, caps))
    before = std::exchange (last, InputVideo{info, memory_kind (caps)});
}

InputVideo
gst_cl_aggregator_pad_video (GstPad *pad)
{
  const GstVideoInfo &info = GST_VIDEO_AGGREGATOR_PAD (pad)->info;
  const auto &[last, before] = GST_CL_AGGREGATOR_PAD (pad)->priv->sent;
  const auto frame = frame_at_hand (pad);
  const bool is_before = frame.first && frame == GST_CL_AGGREGATOR_PAD (pad)->priv->last_before;
  const ObjectLock lock (pad);
  for (const auto *sent : {is_before ? &before : &last, &last, &before})
    if (*sent && describe_same_frames ((*sent)->info, info))
      return **sent;
  return {info};
}

void
gst_cl_aggregator_settle_caps (GstElement *element)
{
  for (const Ref<GstPad> &pad : sink_pads_of (element))
    if (const auto &settled = GST_CL_AGGREGATOR_PAD (pad.get ())->priv->settled)
      GST_VIDEO_AGGREGATOR_PAD (pad.get ())->info = *settled;
}

static GstClAggregatorPadPrivate &
settings_of (gpointer pad)
{
  return *GST_CL_AGGREGATOR_PAD (pad)->priv;
}

void
gst_cl_aggregator_pad_class_set_description (GstClAggregatorPadClass *klass, const AggregatorDescription *description)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  klass->description = description;
  hand_on_properties<settings_of> (object);
  guint id = 1;
  for (const Property &property : description->pad_properties)
    g_object_class_install_property (object, id++, make_param_spec (property, Values (description->pad_settings)));
}

static void
gst_cl_aggregator_pad_class_init (GstClAggregatorPadClass *klass)
{
  G_OBJECT_CLASS (klass)->constructed = [] (GObject *object) {
    G_OBJECT_CLASS (gst_cl_aggregator_pad_parent_class)->constructed (object);
    GST_CL_AGGREGATOR_PAD (object)->priv = new GstClAggregatorPadPrivate (GST_PAD (object), description_of (object));
  };
  delete_with_instance<&GstClAggregatorPad::priv, &gst_cl_aggregator_pad_parent_class> (G_OBJECT_CLASS (klass));
  GstVideoAggregatorPadClass *pad = GST_VIDEO_AGGREGATOR_PAD_CLASS (klass);
  /* Frames are for the device; the host does not map them. */
  pad->prepare_frame = [] (GstVideoAggregatorPad *, GstVideoAggregator *, GstBuffer *, GstVideoFrame *) -> gboolean {
    return TRUE;
  };
  pad->prepare_frame_start = nullptr;
  pad->prepare_frame_finish = nullptr;
  pad->clean_frame = nullptr;
}

static void
gst_cl_aggregator_pad_init (GstClAggregatorPad *)
{
  /* constructed() sets priv from the subclass's description, because the instance still has this class here */
}

/* The pads are the children, so that launch lines can set sink_0::weight=0.5. */

void
gst_cl_aggregator_child_proxy_init (gpointer iface, gpointer)
{
  auto *proxy = static_cast<GstChildProxyInterface *> (iface);
  proxy->get_child_by_index = [] (GstChildProxy *proxy, guint index) -> GObject * {
    const ObjectLock lock (proxy);
    gpointer pad = g_list_nth_data (GST_ELEMENT (proxy)->sinkpads, index);
    return pad ? G_OBJECT (gst_object_ref (pad)) : nullptr;
  };
  proxy->get_children_count = [] (GstChildProxy *proxy) -> guint {
    const ObjectLock lock (proxy);
    return GST_ELEMENT (proxy)->numsinkpads;
  };
}

/* GstAggregator has functions for this, but no property. */
struct InactivePads {
  static constexpr guint id = 4000;
  GstAggregator *const of;

  bool set_property (guint set, const GValue *value)
  {
    if (set == id)
      gst_aggregator_set_ignore_inactive_pads (of, g_value_get_boolean (value));
    return set == id;
  }
  bool get_property (guint got, GValue *value)
  {
    if (got == id)
      g_value_set_boolean (value, gst_aggregator_get_ignore_inactive_pads (of));
    return got == id;
  }
};

static InactivePads
inactive_pads (gpointer self)
{
  return {GST_AGGREGATOR (self)};
}

void
gst_cl_aggregator_class_publish_inactive_pads (GObjectClass *object)
{
  hand_on_properties<gst_cl_aggregator_get_store, inactive_pads> (object);
  /**
   * GstClAggregator:ignore-inactive-pads:
   *
   * Whether frames of a live pipeline wait for pads that have not had a buffer yet.
   */
  g_object_class_install_property (object, InactivePads::id,
      g_param_spec_boolean ("ignore-inactive-pads", "Ignore inactive pads",
          "In a live pipeline, do not wait for pads that have not received a buffer yet", FALSE,
          GParamFlags (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)));
}

namespace gst::cl {

std::vector<AggregatorInput>
collect_inputs (GstElement *element)
{
  std::vector<AggregatorInput> inputs;
  for (const Ref<GstPad> &pad : sink_pads_of (element)) {
    GstBuffer *buffer = gst_video_aggregator_pad_get_current_buffer (GST_VIDEO_AGGREGATOR_PAD (pad.get ()));
    const InputVideo video = gst_cl_aggregator_pad_video (pad.get ());
    /* a frame may follow caps that the pad has refused */
    if (buffer && gst_buffer_get_size (buffer) > 0 && video.is_known ())
      inputs.push_back ({pad, BufferRef::retain (buffer), video});
  }
  return inputs;
}

std::vector<AggregatorInput>
collect_known_inputs (GstElement *element)
{
  std::vector<AggregatorInput> inputs = collect_inputs (element);
  if (!inputs.empty ())
    return inputs;
  for (const Ref<GstPad> &pad : sink_pads_of (element))
    if (const InputVideo video = gst_cl_aggregator_pad_video (pad.get ()); video.is_known ())
      inputs.push_back ({pad, {}, video});
  return inputs;
}

void
set_fields (GstBuffer *out, const GstVideoInfo &result, const std::vector<AggregatorInput> &inputs)
{
  GST_BUFFER_FLAG_UNSET (out, GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF);
  const auto interlaced = std::ranges::find_if (
      inputs, [] (const AggregatorInput &each) { return is_interlaced (each.video.info, each.buffer.get ()); });
  if (!GST_VIDEO_INFO_IS_INTERLACED (&result) || interlaced == inputs.end ())
    return;
  const bool top_first = GST_BUFFER_FLAG_IS_SET (interlaced->buffer.get (), GST_VIDEO_BUFFER_FLAG_TFF)
                         || GST_VIDEO_INFO_FIELD_ORDER (&interlaced->video.info) == GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST;
  GST_BUFFER_FLAG_SET (out, GST_VIDEO_BUFFER_FLAG_INTERLACED | (top_first ? GST_VIDEO_BUFFER_FLAG_TFF : 0));
}

std::vector<AggregatorInput>
expected_inputs (GstElement *element)
{
  std::vector<AggregatorInput> inputs;
  for (Ref<GstPad> &pad : sink_pads_of (element))
    if (const auto info = expected_video (possible_caps (pad.get ()).get ()))
      inputs.push_back ({std::move (pad), {}, {*info}});
  return inputs;
}

void
latch_settings (SettingStore &store, const std::vector<AggregatorInput> &inputs, GstClockTime stream_time, Settings &settings)
{
  settings = store.latch (stream_time);
  for (const AggregatorInput &input : inputs)
    settings.pads.push_back (gst_cl_aggregator_pad_latch (input.pad.get ()));
}

}  // namespace gst::cl
