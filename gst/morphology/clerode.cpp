/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clerode: replaces each sample by the minimum under a structuring element: dark areas grow, small bright details vanish. */
#include "filter/gstclfilter.hpp"
#include "morphology/morphology.hpp"

namespace gst::cl::clerode {

static const FilterDescription description = morphology_description<MorphologyStepSettings<MorphologyMethod::erode>> (
    "OpenCL erosion", "Replaces each sample by the minimum under a structuring element");

GST_CL_DEFINE_FILTER (GstClErode, gst_cl_erode, clerode, description)

}  // namespace gst::cl::clerode
