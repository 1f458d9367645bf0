/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cldilate
 * @title: cldilate
 * @short_description: maximum under a structuring element
 *
 * Every sample becomes the greatest of those under the reflected element: bright areas grow, dark ones shrink. Each
 * component is filtered by itself, bit-exact at every depth. Samples outside the frame do not take part unless
 * #GstClDilate:border is set to another rule than replicate.
 *
 * The time of rectangles hardly grows with their size.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! cldilate radius=2 ! videoconvert ! autovideosink
 * ]| Dark details of up to four samples vanish.
 * |[
 * gst-launch-1.0 videotestsrc ! cldilate element="0 1 0; 1 1 1; 0 1 0" iterations=3 ! videoconvert ! autovideosink
 * ]| A diamond, by three steps with a small cross.
 */
#include "filter/gstclfilter.hpp"
#include "morphology/morphology.hpp"

using namespace gst::cl;

namespace {

const Property properties[] = {
    /**
     * GstClDilate:radius:
     *
     * Half the element's width, in samples of the plane: a rectangle has 2 * radius + 1 columns.
     */
    morphology_radius,
    /**
     * GstClDilate:radius-y:
     *
     * Half the element's height. -1 stands for the radius, 0 for a single row.
     */
    morphology_radius_y,
    /**
     * GstClDilate:shape:
     *
     * The element: a rectangle, a cross of a row and a column, or an ellipse, (dx/rx)^2 + (dy/ry)^2 <= 1.
     */
    morphology_shape,
    /**
     * GstClDilate:element:
     *
     * An element of one's own: rows of 0 and 1 separated by `;`, samples by spaces or commas, 1 to 31 each way. The
     * sample that is written lies under column floor (width / 2) and row floor (height / 2). "" takes the shape. A
     * string that does not parse, or has no 1, is refused with a warning, and the old one stays.
     */
    morphology_element,
    /**
     * GstClDilate:iterations:
     *
     * How often the dilation is repeated.
     */
    morphology_iterations,
};

MorphologySettings
settings_of (const Values &values)
{
  return morphology_settings (MorphologyMethod::dilate, values, 0);
}

const FilterDescription description{
    .long_name = "OpenCL dilation",
    .klass = "Filter/Effect/Video/Hardware",
    .description = "Replaces each sample by the maximum under a structuring element",
    .properties = properties,
    .windowed = true,
    .create = [] { return morphology_create (settings_of); },
    .neutral = [] (const Values &values) { return morphology_is_neutral (settings_of (values)); },
    .complaint = morphology_complaint,
};

}  // namespace

GST_CL_DEFINE_FILTER (GstClDilate, gst_cl_dilate, cldilate, description)
