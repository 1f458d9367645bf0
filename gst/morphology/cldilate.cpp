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
    morphology_radius,
    morphology_radius_y,
    morphology_shape,
    morphology_element,
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
