/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clscharr: finds edges with the Scharr operator: the gradient of the 3x3 window around each sample, weights 3, 10 and 3,
 * for which the length depends least on the direction. */
#include "edges/edges.hpp"

namespace gst::cl::clscharr {

static const FilterDescription description =
    describe_edges<3, 10> ("OpenCL Scharr edges", "Finds edges with the Scharr operator");

GST_CL_DEFINE_FILTER (GstClScharr, gst_cl_scharr, clscharr, description)

}  // namespace gst::cl::clscharr
