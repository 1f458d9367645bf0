/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cldilate: replaces each sample by the maximum under a structuring element: bright areas grow, small dark details vanish.
 * */
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
