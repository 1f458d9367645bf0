/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clconvert: converts the format, size and colorimetry of video on the device, as videoconvert and videoscale do on the CPU.
 * Any of the formats becomes any other, in any size. If the caps of both sides are equal, frames pass untouched. */
#include "shared/converter.hpp"
#include "shared/negotiate.hpp"
#include "shared/pointer.hpp"

namespace gst::cl::clconvert {

constexpr GEnumValue method_values[] = {
    {int (Resampling::nearest), "The nearest sample", "nearest"},
    {int (Resampling::bilinear), "Two samples each way", "bilinear"},
    {int (Resampling::bicubic), "Four samples each way (Catmull-Rom)", "bicubic"},
    {int (Resampling::lanczos), "Six samples each way (Lanczos)", "lanczos"},
    {int (Resampling::area), "The area that a pixel covers", "area"},
};

constexpr GEnumValue dither_values[] = {
    {int (Dither::automatic), "Bayer if the depth decreases, otherwise none", "auto"},
    {int (Dither::none), "To the nearest value", "none"},
    {int (Dither::bayer), "A regular pattern of 8 x 8 pixels", "bayer"},
    {int (Dither::noise), "Random noise", "noise"},
};

constexpr GEnumValue chroma_resampler_values[] = {
    {int (ChromaResampling::linear), "Between the samples, or their mean", "linear"},
    {int (ChromaResampling::nearest), "The nearest sample", "nearest"},
};

constexpr GEnumValue primaries_values[] = {
    {int (PrimariesMode::none), "Samples are copied", "none"},
    {int (PrimariesMode::merge_only), "Converted if a matrix is applied anyway", "merge-only"},
    {int (PrimariesMode::fast), "Always converted; the transfer function is ignored", "fast"},
};

constexpr Property properties[] = {
    property<&ConvertSettings::method> (
        "method", "How samples are weighted when the size changes", enum_type<"GstClConvertMethod", method_values>),
    property<&ConvertSettings::dither> ("dither", "Pattern or noise added before rounding, which hides banding",
        enum_type<"GstClConvertDither", dither_values>),
    property<&ConvertSettings::chroma_resampler> ("chroma-resampler", "How chroma is moved to other positions",
        enum_type<"GstClConvertChromaResampler", chroma_resampler_values>),
    property<&ConvertSettings::add_borders> ("add-borders", "Keep the aspect ratio by adding black borders"),
    property<&ConvertSettings::primaries> (
        "primaries", "When colours are converted to other primaries", enum_type<"GstClConvertPrimaries", primaries_values>),
};

const FilterDescription description{
    .long_name = "OpenCL video converter",
    .klass = "Filter/Converter/Video/Scaler/Colorspace/Hardware",
    .description = "Converts format, size and colorimetry of video",
    .properties = properties,
    .operation = operation_type<FrameConverter> (),
    .neutral = [] (const Values &) { return true; },
    .every_format = true,
};

GST_CL_DEFINE_FILTER_TYPE (GstClConvert, gst_cl_convert, clconvert, GstClFilter, GST_TYPE_CL_FILTER, description, void)

static GstCaps *
gst_cl_convert_fixate_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  if (direction == GST_PAD_SINK && gst_caps_is_subset (caps, other)) { /* passing frames keep their memory */
    gst_caps_replace (&other, caps);
    return other;
  }
  GstCaps *of_memory = gst_cl_base_transform_choose_memory (GST_CL_BASE_TRANSFORM (base), direction, caps, other);
  return fixate_conversion (caps, of_memory, direction == GST_PAD_SINK);
}

/* Pointers are converted to the input's coordinates. */
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
  klass->parent_class.parent_class.map_caps = [] (GstClBaseTransform *, GstPadDirection, GstCaps *caps) {
    return convertible_caps (caps);
  };
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  base->fixate_caps = gst_cl_convert_fixate_caps;
  base->src_event = gst_cl_convert_src_event;
}

}  // namespace gst::cl::clconvert
