/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmorphology: combines erosions and dilations: removes details smaller than a structuring element, extracts them, or finds
 * edges. */
#include "filter/gstclfilter.hpp"
#include "morphology/morphology.hpp"

namespace gst::cl::clmorphology {

static const FilterDescription description = morphology_description<MorphologySettings> (
    "OpenCL morphology", "Opening, closing, gradient and hats with a structuring element");

GST_CL_DEFINE_FILTER (GstClMorphology, gst_cl_morphology, clmorphology, description)

}  // namespace gst::cl::clmorphology
