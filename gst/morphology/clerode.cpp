/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clerode
 * @title: clerode
 * @short_description: minimum under a structuring element
 *
 * Every sample becomes the least of those under the element: dark areas grow, bright ones shrink. Each component is
 * filtered by itself, bit-exact at every depth. Samples outside the frame do not take part unless #GstClErode:border is
 * set to another rule than replicate.
 *
 * The time of rectangles hardly grows with their size.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clerode radius=2 ! videoconvert ! autovideosink
 * ]| Bright details of up to four samples vanish.
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clerode shape=ellipse radius=9 ! videoconvert ! autovideosink
 * ]| A round element.
 */
#include "filter/gstclfilter.hpp"
#include "morphology/morphology.hpp"

using namespace gst::cl;

namespace {

const Property properties[] = {
    /**
     * GstClErode:radius:
     *
     * Half the element's width, in samples of the plane: a rectangle has 2 * radius + 1 columns.
     */
    morphology_radius,
    /**
     * GstClErode:radius-y:
     *
     * Half the element's height. -1 stands for the radius, 0 for a single row.
     */
    morphology_radius_y,
    /**
     * GstClErode:shape:
     *
     * The element: a rectangle, a cross of a row and a column, or an ellipse, (dx/rx)^2 + (dy/ry)^2 <= 1.
     */
    morphology_shape,
    /**
     * GstClErode:element:
     *
     * An element of one's own: rows of 0 and 1 separated by `;`, samples by spaces or commas, 1 to 31 each way. The
     * sample that is written lies under column floor (width / 2) and row floor (height / 2). "" takes the shape. A
     * string that does not parse, or has no 1, is refused with a warning, and the old one stays.
     */
    morphology_element,
    /**
     * GstClErode:iterations:
     *
     * How often the erosion is repeated.
     */
    morphology_iterations,
};

MorphologySettings
settings_of (const Values &values)
{
  return morphology_settings (MorphologyMethod::erode, values, 0);
}

const FilterDescription description{
    .long_name = "OpenCL erosion",
    .klass = "Filter/Effect/Video/Hardware",
    .description = "Replaces each sample by the minimum under a structuring element",
    .properties = properties,
    .windowed = true,
    .create = [] { return morphology_create (settings_of); },
    .neutral = [] (const Values &values) { return morphology_is_neutral (settings_of (values)); },
    .complaint = morphology_complaint,
};

}  // namespace

GST_CL_DEFINE_FILTER (GstClErode, gst_cl_erode, clerode, description)
