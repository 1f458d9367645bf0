/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cldilate: replaces each sample by the maximum under a structuring element: bright areas grow, small dark details vanish.
 * */
#include "filter/gstclfilter.hpp"
#include "morphology/morphology.hpp"

namespace gst::cl::cldilate {

static const FilterDescription description = morphology_description<MorphologyStepSettings<MorphologyMethod::dilate>> (
    "OpenCL dilation", "Replaces each sample by the maximum under a structuring element");

GST_CL_DEFINE_FILTER (GstClDilate, gst_cl_dilate, cldilate, description)

}  // namespace gst::cl::cldilate
