/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clwarp: corrects perspective and lens distortion: a matrix, a lens model or a file gives the source position of each
 * pixel. */
#include "filter/gstclfilter.hpp"
#include "shared/pointer.hpp"
#include "warp/warp.hpp"

namespace gst::cl::clwarp {

constexpr GEnumValue interpolation_values[] = {
    {int (WarpInterpolation::nearest), "The nearest pixel", "nearest"},
    {int (WarpInterpolation::bilinear), "Between 2x2 pixels", "bilinear"},
    {int (WarpInterpolation::bicubic), "4x4 pixels (Catmull-Rom), sharper", "bicubic"},
    {int (WarpInterpolation::lanczos), "6x6 pixels (Lanczos with 3 lobes), sharpest", "lanczos"},
};

constexpr Property properties[] = {
    property<&WarpSettings::matrix> ("matrix",
        "Maps pixels of the result to the input: 3 rows of 3 numbers, rows separated by ';'; \"\" = identity",
        warp_matrix_complaint),
    property<&WarpSettings::undistort> ("undistort",
        "Lens whose distortion is removed: \"fx fy cx cy k1 k2 p1 p2 [k3 k4 k5 k6]\"; \"\" = none", warp_lens_complaint),
    property<&WarpSettings::map> (
        "map", "File with x, y as float32 for each pixel: where it is read; \"\" = none", warp_map_complaint),
    property<&WarpSettings::interpolation> (
        "interpolation", "How pixels are interpolated", enum_type<"GstClWarpInterpolation", interpolation_values>),
};

const FilterDescription description{
    .long_name = "OpenCL warp",
    .description = "Corrects perspective and lens distortion, or moves pixels by a map",
    .properties = properties,
    .windowed = true,
    .operation = {OperationType::Kind::filter, copy_settings<WarpSettings>, make_warp_operation},
    .neutral = of_settings<warp_is_neutral>,
    .whole_frames = true,
};

#define GST_CAT_DEFAULT gst_cl_warp_debug
GST_CL_DEFINE_FILTER_TYPE (GstClWarp, gst_cl_warp, clwarp, GstClFilter, GST_TYPE_CL_FILTER, description, void)

/* Points without a source are placed outside the picture. */
static void
place_pointer (const Warp &warp, const GstVideoInfo &info, double &x, double &y)
{
  if (!warp.move (x, y, GST_VIDEO_INFO_WIDTH (&info), GST_VIDEO_INFO_HEIGHT (&info)))
    x = y = -1;
}

static GstEvent *
move_to_input (GstBaseTransform *base, GstEvent *event)
{
  const Values values = gst_cl_filter_get_store (reinterpret_cast<GstClFilter *> (base)).own_values ();
  const auto &settings = values.as<WarpSettings> ();
  if (warp_is_neutral (settings))
    return event;
  try {
    const Warp warp = warp_of (settings);
    gst_cl_base_transform_with_current_caps (reinterpret_cast<GstClBaseTransform *> (base), [&] (GstCaps *caps, GstCaps *) {
      GstVideoInfo info;
      if (!video_info_from_caps (info, caps))
        return;
      if (warp.map)
        check_map (*warp.map, GST_VIDEO_INFO_WIDTH (&info), GST_VIDEO_INFO_HEIGHT (&info));
      event = move_pointer (event, [&] (double &x, double &y) { place_pointer (warp, info, x, y); });
    });
  } catch (const Failure &failure) {
    GST_WARNING_OBJECT (base, "pointer not moved: %s", failure.what ());
  }
  return event;
}

static void
gst_cl_warp_class_init (GstClWarpClass *klass)
{
  gst_cl_filter_class_set_description (&klass->parent_class, &description);
  GST_BASE_TRANSFORM_CLASS (klass)->src_event = [] (GstBaseTransform *base, GstEvent *event) -> gboolean {
    if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION)
      event = move_to_input (base, event);
    return GST_BASE_TRANSFORM_CLASS (gst_cl_warp_parent_class)->src_event (base, event);
  };
  /* Moves the marked regions with the content. */
  GST_BASE_TRANSFORM_CLASS (klass)->transform_meta = [] (GstBaseTransform *base, GstBuffer *out, GstMeta *meta,
                                                         GstBuffer *in) -> gboolean {
    return meta->info->api != GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE
           && GST_BASE_TRANSFORM_CLASS (gst_cl_warp_parent_class)->transform_meta (base, out, meta, in);
  };
}

}  // namespace gst::cl::clwarp

#undef GST_CAT_DEFAULT
