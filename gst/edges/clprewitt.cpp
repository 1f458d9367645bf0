/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clprewitt: finds edges with the Prewitt operator: the gradient of the 3x3 window around each sample, all three rows
 * weighted equally. */
#include "edges/edges.hpp"

namespace gst::cl::clprewitt {

static const FilterDescription description{
    .long_name = "OpenCL Prewitt edges",
    .description = "Finds edges with the Prewitt operator",
    .properties = edge_properties (),
    .windowed = true,
    .create = make_edges<1, 1>,
};

GST_CL_DEFINE_FILTER (GstClPrewitt, gst_cl_prewitt, clprewitt, description)

}  // namespace gst::cl::clprewitt
