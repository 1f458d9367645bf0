/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clconvert
 * @title: clconvert
 * @short_description: converts format, size and colorimetry of video on the device
 *
 * The caps on both sides say what is to be done: any format that the elements take becomes any other one, of any size and
 * colorimetry. It negotiates as videoconvertscale does; where nothing is to be done, frames pass.
 *
 * Every plane of the result is made straight from the planes that it needs: their samples are weighed to the places of its own,
 * chroma by its siting, and then the colour matrix is applied, in floating point. A picture that becomes smaller is
 * averaged over as much more, so that fine detail does not turn into patterns.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! video/x-raw,format=NV12,width=1920,height=1080 ! clconvert ! video/x-raw,format=RGBA,width=1280,height=720 ! fakesink
 * ]|
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clconvert method=lanczos ! video/x-raw,width=640,height=640,pixel-aspect-ratio=1/1 ! videoconvert ! autovideosink
 * ]| A picture of another shape gets borders.
 */
#include "shared/converter.hpp"
#include "shared/negotiate.hpp"
#include "shared/pointer.hpp"

using namespace gst::cl;

namespace {

GType
method_get_type ()
{
  static const GEnumValue values[] = {
      {int (Resampling::nearest), "The nearest sample", "nearest"},
      {int (Resampling::bilinear), "Two samples each way", "bilinear"},
      {int (Resampling::bicubic), "Four samples each way, by Catmull and Rom", "bicubic"},
      {int (Resampling::lanczos), "Six samples each way, by Lanczos", "lanczos"},
      {int (Resampling::area), "What a pixel covers", "area"},
      {0, nullptr, nullptr},
  };
  static const GType type = g_enum_register_static ("GstClConvertMethod", values);
  return type;
}

GType
dither_get_type ()
{
  static const GEnumValue values[] = {
      {int (Dither::automatic), "As bayer where the depth falls, else none", "auto"},
      {int (Dither::none), "To the nearest value", "none"},
      {int (Dither::bayer), "A regular pattern of 8 times 8 pixels", "bayer"},
      {int (Dither::noise), "A pattern without order", "noise"},
      {0, nullptr, nullptr},
  };
  static const GType type = g_enum_register_static ("GstClConvertDither", values);
  return type;
}

GType
chroma_resampler_get_type ()
{
  static const GEnumValue values[] = {
      {0, "Between the samples, or their mean", "linear"},
      {1, "The nearest sample", "nearest"},
      {0, nullptr, nullptr},
  };
  static const GType type = g_enum_register_static ("GstClConvertChromaResampler", values);
  return type;
}

GType
primaries_get_type ()
{
  static const GEnumValue values[] = {
      {int (PrimariesMode::none), "Samples stay what they are", "none"},
      {int (PrimariesMode::merge_only), "Converted where a matrix is applied anyway", "merge-only"},
      {int (PrimariesMode::fast), "Converted without regard to the transfer function", "fast"},
      {0, nullptr, nullptr},
  };
  static const GType type = g_enum_register_static ("GstClConvertPrimaries", values);
  return type;
}

const Property properties[] = {
    /**
     * GstClConvert:method:
     *
     * How samples are weighed where the size changes.
     */
    enum_property ("method", "How samples are weighed where the size changes", method_get_type, int (Resampling::bilinear)),
    /**
     * GstClConvert:dither:
     *
     * What is added before rounding, so that fewer bits show no steps.
     */
    enum_property (
        "dither", "What is added before rounding, so that fewer bits show no steps", dither_get_type, int (Dither::automatic)),
    /**
     * GstClConvert:chroma-resampler:
     *
     * How chroma comes to other places where the size stays; nearest holds where the size changes, too.
     */
    enum_property ("chroma-resampler", "How chroma comes to other places", chroma_resampler_get_type, 0),
    /**
     * GstClConvert:add-borders:
     *
     * Whether a picture of another shape than the frame keeps its shape, between black borders.
     */
    boolean_property ("add-borders", "Keep the picture's shape, between black borders", true),
    /**
     * GstClConvert:primaries:
     *
     * Whether colours of other primaries are converted.
     */
    enum_property (
        "primaries", "Whether colours of other primaries are converted", primaries_get_type, int (PrimariesMode::merge_only)),
};

const FilterDescription description{
    .long_name = "OpenCL video converter",
    .klass = "Filter/Converter/Video/Scaler/Colorspace/Hardware",
    .description = "Converts format, size and colorimetry of video",
    .properties = properties,
    .windowed = false,
    .create = [] () -> std::unique_ptr<Operation> { return std::make_unique<FrameConverter> (); },
    .neutral = [] (const Values &) { return true; },
    .converts = true,
};

}  // namespace

GST_DEBUG_CATEGORY_STATIC (gst_cl_convert_debug);

struct GstClConvert {
  GstClFilter parent;
};

struct GstClConvertClass {
  GstClFilterClass parent_class;
};

G_DEFINE_TYPE_WITH_CODE (GstClConvert, gst_cl_convert, GST_TYPE_CL_FILTER,
    GST_DEBUG_CATEGORY_INIT (gst_cl_convert_debug, "clconvert", 0, description.long_name))

/* Memory is the parent's business. */
static GstCaps *
gst_cl_convert_transform_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstCaps *any = convertible_caps (caps);
  GstCaps *result = GST_BASE_TRANSFORM_CLASS (gst_cl_convert_parent_class)->transform_caps (base, direction, any, filter);
  gst_caps_unref (any);
  return result;
}

static GstCaps *
gst_cl_convert_fixate_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  if (direction == GST_PAD_SINK && gst_caps_is_subset (caps, other)) { /* frames pass, in the memory that they come in */
    gst_caps_replace (&other, caps);
    return other;
  }
  GstCaps *of_memory = gst_cl_base_transform_choose_memory (GST_CL_BASE_TRANSFORM (base), direction, caps, other);
  return fixate_conversion (caps, of_memory, direction == GST_PAD_SINK);
}

/* A pointer is where it is in the picture that came in. */
static gboolean
gst_cl_convert_src_event (GstBaseTransform *base, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION)
    gst_cl_base_transform_with_current_caps (GST_CL_BASE_TRANSFORM (base), [&] (GstCaps *in_caps, GstCaps *out_caps) {
      GstVideoInfo in, out;
      if (video_info_from_caps (in, in_caps) && video_info_from_caps (out, out_caps))
        event = move_pointer (event, [&] (double &x, double &y) {
          x = x * GST_VIDEO_INFO_WIDTH (&in) / GST_VIDEO_INFO_WIDTH (&out);
          y = y * GST_VIDEO_INFO_HEIGHT (&in) / GST_VIDEO_INFO_HEIGHT (&out);
        });
    });
  return GST_BASE_TRANSFORM_CLASS (gst_cl_convert_parent_class)->src_event (base, event);
}

static void
gst_cl_convert_class_init (GstClConvertClass *klass)
{
  gst_cl_filter_class_set_description (&klass->parent_class, &description);
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  base->transform_caps = gst_cl_convert_transform_caps;
  base->fixate_caps = gst_cl_convert_fixate_caps;
  base->src_event = gst_cl_convert_src_event;
}

static void
gst_cl_convert_init (GstClConvert *)
{
}

GST_ELEMENT_REGISTER_DEFINE (clconvert, "clconvert", GST_RANK_NONE, gst_cl_convert_get_type ())
