/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clscharr
 * @title: clscharr
 * @short_description: edges: the gradient of each component or of the intensity
 *
 * Finds edges with the Scharr operator: the gradient of the 3x3 window around each sample, weights 3, 10 and 3, for
 * which the length depends least on the direction.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clscharr ! videoconvert ! autovideosink
 * ]|
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clscharr output=x signed=true scale=0.25 domain=intensity ! videoconvert ! autovideosink
 * ]| What gets brighter to the right is brighter than grey, what gets darker is darker.
 */
#include "edges/edges.hpp"

using namespace gst::cl;

static const FilterDescription description{
    .long_name = "OpenCL Scharr edges",
    .description = "Finds edges with the Scharr operator",
    .properties = edge_properties (),
    .windowed = true,
    .create =
        [] {
          return make_edges ({3, 10});
        },
    .neutral = [] (const Values &) { return false; },
};

GST_CL_DEFINE_FILTER (GstClScharr, gst_cl_scharr, clscharr, description)
