/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clconvert: converts the format, size and colorimetry of video on the device, as videoconvert and videoscale do on the CPU.
 * Any of the formats becomes any other, in any size. If the caps of both sides are equal, frames pass untouched. */
#include "shared/converter.hpp"
#include "shared/negotiate.hpp"
#include "shared/pointer.hpp"
#include "shared/region.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

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

/* How places in the input and in the result correspond. */
struct Scale {
  GstVideoInfo in{}, out{};
  /* where the input lies in the result */
  Rect picture{};

  bool fills () const { return picture.width == GST_VIDEO_INFO_WIDTH (&out) && picture.height == GST_VIDEO_INFO_HEIGHT (&out); }

  /* The smallest place that holds all of another one. */
  Rect place_of (const Rect &rect) const
  {
    const auto along = [] (gint64 first, gint64 n, int from, int to) {
      const auto at = [from, to] (gint64 edge) { return std::clamp (double (edge) * to / from, -0x1p30, 0x1p30); };
      const int begin = int (std::floor (at (first)));
      return std::pair (begin, n > 0 ? int (std::ceil (at (first + n))) - begin : 0);
    };
    const auto [x, width] = along (rect.x, rect.width, GST_VIDEO_INFO_WIDTH (&in), picture.width);
    const auto [y, height] = along (rect.y, rect.height, GST_VIDEO_INFO_HEIGHT (&in), picture.height);
    return {picture.x + x, picture.y + y, width, height};
  }
};

static std::optional<Scale>
scale_of (GstBaseTransform *base)
{
  std::optional<Scale> scale;
  gst_cl_base_transform_with_current_caps (GST_CL_BASE_TRANSFORM (base), [&] (GstCaps *in_caps, GstCaps *out_caps) {
    Scale found;
    if (!video_info_from_caps (found.in, in_caps) || !video_info_from_caps (found.out, out_caps))
      return;
    gboolean borders = FALSE;
    g_object_get (base, "add-borders", &borders, nullptr);
    found.picture = borders ? place_with_borders (found.in, found.out)
                            : Rect{0, 0, GST_VIDEO_INFO_WIDTH (&found.out), GST_VIDEO_INFO_HEIGHT (&found.out)};
    scale = found;
  });
  return scale;
}

/* Pointers are converted to the input's coordinates. */
static gboolean
gst_cl_convert_src_event (GstBaseTransform *base, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION)
    if (const std::optional<Scale> scale = scale_of (base))
      event = move_pointer (event, [&scale] (double &x, double &y) {
        x = (x - scale->picture.x) * GST_VIDEO_INFO_WIDTH (&scale->in) / scale->picture.width;
        y = (y - scale->picture.y) * GST_VIDEO_INFO_HEIGHT (&scale->in) / scale->picture.height;
      });
  return GST_BASE_TRANSFORM_CLASS (gst_cl_convert_parent_class)->src_event (base, event);
}

/* GStreamer's own scaling of regions and crops supports neither borders nor negative places; its scaling of detections no borders. */
static gboolean
gst_cl_convert_transform_meta (GstBaseTransform *base, GstBuffer *out, GstMeta *meta, GstBuffer *in)
{
  const bool is_placed = marks_object (meta) || meta->info->api == GST_VIDEO_CROP_META_API_TYPE;
  const std::optional<Scale> scale = is_placed ? scale_of (base) : std::nullopt;
  if (!scale || (is_analytics (meta) && scale->fills ()))
    return GST_BASE_TRANSFORM_CLASS (gst_cl_convert_parent_class)->transform_meta (base, out, meta, in);
  add_moved (out, meta, [&scale] (const Rect &rect) { return scale->place_of (rect); });
  return FALSE;
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
  base->transform_meta = gst_cl_convert_transform_meta;
}

}  // namespace gst::cl::clconvert
