/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cldilate
 * @title: cldilate
 * @short_description: maximum: bright areas grow
 *
 * Replaces each sample by the maximum under a structuring element: bright areas grow, small dark details vanish.
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
     * Samples to the left and right of the centre; a rectangle is 2*radius+1 wide.
     */
    morphology_radius,
    /**
     * GstClDilate:radius-y:
     *
     * Samples above and below the centre; -1 means the same as radius.
     */
    morphology_radius_y,
    /**
     * GstClDilate:shape:
     *
     * rect: the whole window; cross: its middle row and column; ellipse: (dx/rx)^2 + (dy/ry)^2 <= 1.
     */
    morphology_shape,
    /**
     * GstClDilate:element:
     *
     * Your own element instead of shape: rows of 0 and 1 separated by ;, samples by spaces or commas, 1..31 each way.
     * The centre is column floor(w/2), row floor(h/2).
     */
    morphology_element,
    /**
     * GstClDilate:iterations:
     *
     * How many times the step is repeated.
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
    .description = "Replaces each sample by the maximum under a structuring element",
    .properties = properties,
    .windowed = true,
    .create = [] { return morphology_create (settings_of); },
    .neutral = [] (const Values &values) { return morphology_is_neutral (settings_of (values)); },
    .complaint = morphology_complaint,
};

}  // namespace

GST_CL_DEFINE_FILTER (GstClDilate, gst_cl_dilate, cldilate, description)
