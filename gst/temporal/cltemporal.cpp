/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cltemporal
 * @title: cltemporal
 * @short_description: removes noise by comparing frames
 *
 * Noise differs from frame to frame, the picture hardly does. #GstClTemporal:method says how that is used: the average of
 * the samples of #GstClTemporal:frames frames that are alike, their median, or a running value, which needs no frames to
 * come. Where a scene begins, frames of the other one have no part.
 *
 * The average and the median look as far ahead as back: the element adds (frames - 1) / 2 frames of latency, which it
 * reports, and gives every frame back with its own time stamp. At the ends of the stream, at gaps and discontinuities the
 * window is what exists.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clnoise strength=0.1 ! cltemporal frames=7 threshold=0.4 ! videoconvert ! autovideosink
 * ]|
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! cltemporal method=recursive strength=0.8 ! videoconvert ! autovideosink
 * ]| A camera in the dark, without latency.
 */
#include "filter/framequeue.hpp"
#include "filter/gstclfilter.hpp"
#include "temporal/temporal.hpp"

#include <mutex>

using namespace gst::cl;

namespace {

enum : unsigned { METHOD, FRAMES, THRESHOLD, STRENGTH };

GType
method_get_type ()
{
  static const GEnumValue values[] = {
      {int (TemporalMethod::average), "Average of the samples in the window that are alike", "average"},
      {int (TemporalMethod::median), "Median of the samples in the window", "median"},
      {int (TemporalMethod::recursive), "Running value, without latency", "recursive"},
      {0, nullptr, nullptr},
  };
  static const GType type = g_enum_register_static ("GstClTemporalMethod", values);
  return type;
}

const Property properties[] = {
    /**
     * GstClTemporal:method:
     *
     * How frames are brought together.
     */
    enum_property ("method", "How frames are brought together", method_get_type, int (TemporalMethod::average)),
    /**
     * GstClTemporal:frames:
     *
     * Frames in the window of the average and the median, this one in the middle. Even numbers count as the odd one above.
     */
    integer_property ("frames", "Frames in the window of the average and the median; odd", 3, 33, 5),
    /**
     * GstClTemporal:threshold:
     *
     * By how much samples may differ, of full scale, and still be taken for the same. Not for the median, but there, too, a
     * scene begins where most samples differ by more.
     */
    real_property ("threshold", "How much samples may differ and still be taken for the same, of full scale", 0, 1, 0.1),
    /**
     * GstClTemporal:strength:
     *
     * 0 leaves every sample as it is, 1 takes the whole result.
     */
    real_property ("strength", "Share of the result; 0 leaves the frames as they are", 0, 1, 1),
};

TemporalSettings
settings_of (const Values &values)
{
  return {.method = TemporalMethod (values.integer (METHOD)),
      .frames = values.integer (FRAMES) | 1,
      .threshold = values.real (THRESHOLD),
      .strength = values.real (STRENGTH)};
}

const FilterDescription description{
    .long_name = "OpenCL temporal denoiser",
    .klass = "Filter/Effect/Video/Hardware",
    .description = "Removes noise by comparing frames",
    .properties = properties,
    .windowed = false,
    .create = [] () -> std::unique_ptr<Operation> { return std::make_unique<Temporal> (settings_of); },
    .neutral = [] (const Values &values) { return values.real (STRENGTH) == 0; },
    /* a running value goes on while it has no effect */
    .observes = [] (const Values &) { return true; },
    .alone = true,
};

struct GstClTemporal {
  GstClFilter parent;
  FrameQueue *queue; /* the streaming thread's, or under the stream lock */
  gint reach;        /* atomic: of the last frame, -1 before it */
  GstClockTime latency;
};

struct GstClTemporalClass {
  GstClFilterClass parent_class;
};

GST_DEBUG_CATEGORY_STATIC (gst_cl_temporal_debug);
#define GST_CAT_DEFAULT gst_cl_temporal_debug

G_DEFINE_TYPE_WITH_CODE (GstClTemporal, gst_cl_temporal, GST_TYPE_CL_FILTER,
    GST_DEBUG_CATEGORY_INIT (gst_cl_temporal_debug, "cltemporal", 0, description.long_name))

#define GST_CL_TEMPORAL(obj) (reinterpret_cast<GstClTemporal *> (obj))

size_t
reach_of (GstClTemporal *self)
{
  if (const gint reach = g_atomic_int_get (&self->reach); reach >= 0)
    return size_t (reach);
  gint method = 0, frames = 0;
  g_object_get (self, "method", &method, "frames", &frames, nullptr);
  TemporalSettings settings{.method = TemporalMethod (method), .frames = frames | 1};
  return size_t (settings.reach ());
}

/* In time; nothing is known where the framerate is not fixed. */
GstClockTime
latency_of (GstClTemporal *self)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (self));
  GstVideoInfo info;
  const bool is_known = caps && gst_video_info_from_caps (&info, caps) && info.fps_n > 0;
  return is_known ? gst_util_uint64_scale (reach_of (self) * GST_SECOND, info.fps_d, info.fps_n) : 0;
}

void
announce_latency (GstClTemporal *self)
{
  const GstClockTime latency = latency_of (self);
  if (std::exchange (self->latency, latency) != latency)
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
}

/* The next frame that has everything it is made from; null where none has. */
GstFlowReturn
produce (GstClTemporal *self, GstBuffer **result)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);
  GstBaseTransformClass *parent = GST_BASE_TRANSFORM_CLASS (gst_cl_temporal_parent_class);
  *result = nullptr;
  GstBuffer *next = self->queue->next ();
  if (!next || !gst_cl_filter_latch (&self->parent, next))
    return next ? GST_FLOW_ERROR : GST_FLOW_OK;
  g_atomic_int_set (&self->reach, settings_of (*gst_cl_filter_get_values (&self->parent)).reach ());
  announce_latency (self);
  const std::optional<FrameQueue::Window> window = self->queue->pop (reach_of (self));
  if (!window)
    return GST_FLOW_OK;
  std::vector<GstBuffer *> inputs;
  for (const BufferRef &frame : window->frames)
    inputs.push_back (frame.get ());
  GstBuffer *current = inputs[window->main], *out = nullptr;

  parent->before_transform (base, current);
  GstFlowReturn flow = parent->prepare_output_buffer (base, current, &out);
  if (flow != GST_FLOW_OK)
    return flow;
  const bool passes = gst_base_transform_is_passthrough (base);
  flow = gst_cl_filter_run (&self->parent, inputs, window->main, passes ? nullptr : out, window->first);
  if (out == current)
    gst_buffer_ref (out);
  if (flow == GST_FLOW_OK)
    *result = out;
  else
    gst_buffer_unref (out);
  return flow;
}

/* Nothing follows: what waits goes on its way. */
void
drain (GstClTemporal *self)
{
  self->queue->close ();
  GstBuffer *out = nullptr;
  while (produce (self, &out) == GST_FLOW_OK && out)
    if (gst_pad_push (GST_BASE_TRANSFORM_SRC_PAD (self), out) != GST_FLOW_OK)
      break;
  self->queue->clear ();
}

/* Nothing that the parent does here: settings are those of the frame that goes out, not of the one that comes in. The
 * frames before a discontinuity leave now, since the base class marks what leaves after it. Its flag for
 * submit_input_buffer() stays set until something has left, so the buffer's own is asked. */
void
gst_cl_temporal_before_transform (GstBaseTransform *base, GstBuffer *input)
{
  if (GST_BUFFER_IS_DISCONT (input))
    drain (GST_CL_TEMPORAL (base));
}

GstFlowReturn
gst_cl_temporal_submit_input_buffer (GstBaseTransform *base, gboolean is_discont, GstBuffer *input)
{
  GstClTemporal *self = GST_CL_TEMPORAL (base);
  const GstFlowReturn flow =
      GST_BASE_TRANSFORM_CLASS (gst_cl_temporal_parent_class)->submit_input_buffer (base, is_discont, input);
  if (flow != GST_FLOW_OK || !base->queued_buf)
    return flow;
  self->queue->push (BufferRef (std::exchange (base->queued_buf, nullptr)));
  return GST_FLOW_OK;
}

GstFlowReturn
gst_cl_temporal_generate_output (GstBaseTransform *base, GstBuffer **out)
{
  return produce (GST_CL_TEMPORAL (base), out);
}

gboolean
gst_cl_temporal_sink_event (GstBaseTransform *base, GstEvent *event)
{
  GstClTemporal *self = GST_CL_TEMPORAL (base);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_STOP:
      self->queue->clear ();
      break;
    case GST_EVENT_CAPS:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_GAP:
    case GST_EVENT_STREAM_START:
    case GST_EVENT_EOS:
      drain (self);
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (gst_cl_temporal_parent_class)->sink_event (base, event);
}

gboolean
gst_cl_temporal_query (GstBaseTransform *base, GstPadDirection direction, GstQuery *query)
{
  if (!GST_BASE_TRANSFORM_CLASS (gst_cl_temporal_parent_class)->query (base, direction, query))
    return FALSE;
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY || direction != GST_PAD_SRC)
    return TRUE;
  const GstClockTime latency = latency_of (GST_CL_TEMPORAL (base));
  gboolean live;
  GstClockTime least, most;
  gst_query_parse_latency (query, &live, &least, &most);
  gst_query_set_latency (query, live, least + latency, GST_CLOCK_TIME_IS_VALID (most) ? most + latency : most);
  return TRUE;
}

gboolean
gst_cl_temporal_stop (GstBaseTransform *base)
{
  GST_CL_TEMPORAL (base)->queue->clear ();
  GST_CL_TEMPORAL (base)->latency = 0;
  g_atomic_int_set (&GST_CL_TEMPORAL (base)->reach, -1);
  return GST_BASE_TRANSFORM_CLASS (gst_cl_temporal_parent_class)->stop (base);
}

void
gst_cl_temporal_finalize (GObject *object)
{
  delete GST_CL_TEMPORAL (object)->queue;
  G_OBJECT_CLASS (gst_cl_temporal_parent_class)->finalize (object);
}

void
gst_cl_temporal_class_init (GstClTemporalClass *klass)
{
  gst_cl_filter_class_set_description (&klass->parent_class, &description);
  klass->parent_class.inputs = [] (const Values &values) { return size_t (2 * settings_of (values).reach () + 1); };
  G_OBJECT_CLASS (klass)->finalize = gst_cl_temporal_finalize;
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  base->before_transform = gst_cl_temporal_before_transform;
  base->submit_input_buffer = gst_cl_temporal_submit_input_buffer;
  base->generate_output = gst_cl_temporal_generate_output;
  base->sink_event = gst_cl_temporal_sink_event;
  base->query = gst_cl_temporal_query;
  base->stop = gst_cl_temporal_stop;
}

void
gst_cl_temporal_init (GstClTemporal *self)
{
  self->queue = new FrameQueue;
  self->reach = -1;
}

}  // namespace

GST_ELEMENT_REGISTER_DEFINE (cltemporal, "cltemporal", GST_RANK_NONE, gst_cl_temporal_get_type ())
