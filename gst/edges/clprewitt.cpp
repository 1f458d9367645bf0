/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clprewitt: finds edges with the Prewitt operator: the gradient of the 3x3 window around each sample, all three rows
 * weighted equally. */
#include "edges/edges.hpp"

namespace gst::cl::clprewitt {

static const FilterDescription description =
    describe_edges<1, 1> ("OpenCL Prewitt edges", "Finds edges with the Prewitt operator");

GST_CL_DEFINE_FILTER (GstClPrewitt, gst_cl_prewitt, clprewitt, description)

}  // namespace gst::cl::clprewitt
