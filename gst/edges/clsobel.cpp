/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clsobel: finds edges with the Sobel operator: the gradient of the 3x3 window around each sample, the middle row weighted
 * twice. */
#include "edges/edges.hpp"

namespace gst::cl::clsobel {

static const FilterDescription description = describe_edges<1, 2> ("OpenCL Sobel edges", "Finds edges with the Sobel operator");

GST_CL_DEFINE_FILTER (GstClSobel, gst_cl_sobel, clsobel, description)

}  // namespace gst::cl::clsobel
