/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clprewitt
 * @title: clprewitt
 * @short_description: edges: the gradient of each component or of the intensity
 *
 * Finds edges with the Prewitt operator: the gradient of the 3x3 window around each sample, all three rows weighted
 * equally.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clprewitt ! videoconvert ! autovideosink
 * ]|
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clprewitt output=x signed=true scale=0.25 domain=intensity ! videoconvert ! autovideosink
 * ]| What gets brighter to the right is brighter than grey, what gets darker is darker.
 */
#include "edges/edges.hpp"

using namespace gst::cl;

static const FilterDescription description{
    .long_name = "OpenCL Prewitt edges",
    .description = "Finds edges with the Prewitt operator",
    .properties = edge_properties (),
    .windowed = true,
    .create =
        [] {
          return make_edges ({1, 1});
        },
    .neutral = [] (const Values &) { return false; },
};

GST_CL_DEFINE_FILTER (GstClPrewitt, gst_cl_prewitt, clprewitt, description)
