/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clcompositor: combines streams into one picture: each pad's video, of any size, format and rate, is converted, scaled and
 * drawn at its place over the pads below. It has the properties of GStreamer's compositor and gives the same results, on the
 * device. */
#include "compositor/caps.hpp"
#include "compositor/composer.hpp"
#include "filter/gstclaggregator.hpp"

#include <gst/video/navigation.h>

using namespace gst::cl;

namespace {

constexpr GEnumValue background_values[] = {
    {int (Background::checker), "Checker pattern", "checker"},
    {int (Background::black), "Black", "black"},
    {int (Background::white), "White", "white"},
    {int (Background::transparent), "Transparent, for further compositing", "transparent"},
    {},
};

constexpr GEnumValue operator_values[] = {
    {int (Operator::source), "The picture replaces what is below", "source"},
    {int (Operator::over), "The picture over what is below", "over"},
    {int (Operator::add), "Like over; on a transparent background alphas are added", "add"},
    {},
};

constexpr GEnumValue sizing_policy_values[] = {
    {int (SizingPolicy::none), "The picture fills the rectangle", "none"},
    {int (SizingPolicy::keep_aspect_ratio), "The picture keeps its aspect ratio, centred in the rectangle",
        "keep-aspect-ratio"},
    {},
};

const Property properties[] = {
    enum_property ("background", "What is shown where there is no picture",
        enum_type<"GstClCompositorBackground", background_values>, int (Background::checker)),
    boolean_property (
        "zero-size-is-unscaled", "A width or height of 0 means the size of the input; otherwise the picture is hidden", true),
    boolean_property ("draw-regions", "Draw the boxes and labels of regions of interest", false),
};

const Property pad_properties[] = {
    integer_property ("xpos", "Left edge of the picture, in pixels", G_MININT, G_MAXINT, 0),
    integer_property ("ypos", "Upper edge of the picture, in pixels", G_MININT, G_MAXINT, 0),
    integer_property ("width", "Width of the picture in pixels; -1 for its own", G_MININT, G_MAXINT, -1),
    integer_property ("height", "Height of the picture in pixels; -1 for its own", G_MININT, G_MAXINT, -1),
    real_property ("alpha", "Opacity of the picture", 0, 1, 1),
    enum_property ("operator", "How the picture is combined with those below",
        enum_type<"GstClCompositorOperator", operator_values>, int (Operator::over)),
    enum_property ("sizing-policy", "Whether the picture keeps its aspect ratio",
        enum_type<"GstClCompositorSizingPolicy", sizing_policy_values>, int (SizingPolicy::none)),
};

const AggregatorDescription description{
    .filter = {
        .long_name = "OpenCL compositor",
        .klass = "Filter/Editor/Video/Compositor/Hardware",
        .description = "Combines streams of any size, format and rate into one picture",
        .properties = properties,
        .windowed = false,
        .create = [] () -> std::unique_ptr<Operation> { return std::make_unique<FrameComposer> (); },
        .neutral = [] (const Values &) { return false; },
        .converts = true,
        .composes = true,
    },
    .pad_properties = pad_properties,
    .own_caps = true,
};

}  // namespace

GST_CL_DEFINE_AGGREGATOR_TYPES (GstClCompositor, gst_cl_compositor, clcompositor, description)

static bool
zero_is_unscaled (gpointer self)
{
  gboolean is = TRUE;
  g_object_get (self, "zero-size-is-unscaled", &is, nullptr);
  return is;
}

static GstCaps *
gst_cl_compositor_fixate_src_caps (GstAggregator *aggregator, GstCaps *caps)
{
  return fixate_result (pad_states (GST_ELEMENT (aggregator)), caps, zero_is_unscaled (aggregator));
}

/* To every picture under the pointer, with the position in that picture. */
static void
hand_on_pointer (GstElement *self, GstEvent *event, double x, double y)
{
  const GstVideoInfo &result = GST_VIDEO_AGGREGATOR (self)->info;
  const PixelShape par{GST_VIDEO_INFO_PAR_N (&result), GST_VIDEO_INFO_PAR_D (&result)};
  for (const PadState &each : pad_states (self)) {
    const Rect rect = place_picture (each.placing, each.info, par, zero_is_unscaled (self));
    if (rect.empty () || x < rect.x || y < rect.y || x > rect.x + rect.width || y > rect.y + rect.height)
      continue;
    GstEvent *copy = gst_event_copy (event);
    gst_navigation_event_set_coordinates (copy, (x - rect.x) * GST_VIDEO_INFO_WIDTH (&each.info) / rect.width,
        (y - rect.y) * GST_VIDEO_INFO_HEIGHT (&each.info) / rect.height);
    gst_pad_push_event (each.pad.get (), copy);
  }
}

static gboolean
gst_cl_compositor_src_event (GstAggregator *aggregator, GstEvent *event)
{
  gdouble x, y;
  if (GST_EVENT_TYPE (event) != GST_EVENT_NAVIGATION || !gst_navigation_event_get_coordinates (event, &x, &y))
    return GST_AGGREGATOR_CLASS (gst_cl_compositor_parent_class)->src_event (aggregator, event);
  hand_on_pointer (GST_ELEMENT (aggregator), event, x, y);
  gst_event_unref (event);
  return TRUE;
}

static void
gst_cl_compositor_class_init (GstClCompositorClass *klass)
{
  gst_cl_aggregator_class_set_description (&klass->parent_class, &description, gst_cl_compositor_pad_get_type ());
  gst_cl_aggregator_class_publish_inactive_pads (&klass->parent_class);
  GstAggregatorClass *aggregator = GST_AGGREGATOR_CLASS (klass);
  aggregator->fixate_src_caps = gst_cl_compositor_fixate_src_caps;
  aggregator->src_event = gst_cl_compositor_src_event;
}

GST_ELEMENT_REGISTER_DEFINE (clcompositor, "clcompositor", GST_RANK_NONE, gst_cl_compositor_get_type ())
