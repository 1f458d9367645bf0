/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clerode
 * @title: clerode
 * @short_description: minimum under a rectangle, cross, ellipse or your own element: dark areas grow
 *
 * Replaces each sample by the minimum under a structuring element: dark areas grow, small bright details vanish.
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
     * Samples to the left and right of the centre; a rectangle is 2*radius+1 wide.
     */
    morphology_radius,
    /**
     * GstClErode:radius-y:
     *
     * Samples above and below the centre; -1 means the same as radius.
     */
    morphology_radius_y,
    /**
     * GstClErode:shape:
     *
     * rect: the whole window; cross: its middle row and column; ellipse: (dx/rx)^2 + (dy/ry)^2 <= 1.
     */
    morphology_shape,
    /**
     * GstClErode:element:
     *
     * Your own element instead of shape: rows of 0 and 1 separated by ;, samples by spaces or commas, 1..31 each way.
     * The centre is column floor(w/2), row floor(h/2).
     */
    morphology_element,
    /**
     * GstClErode:iterations:
     *
     * How many times the step is repeated.
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
    .description = "Replaces each sample by the minimum under a structuring element",
    .properties = properties,
    .windowed = true,
    .create = [] { return morphology_create (settings_of); },
    .neutral = [] (const Values &values) { return morphology_is_neutral (settings_of (values)); },
    .complaint = morphology_complaint,
};

}  // namespace

GST_CL_DEFINE_FILTER (GstClErode, gst_cl_erode, clerode, description)
