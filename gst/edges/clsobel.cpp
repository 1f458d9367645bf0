/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clsobel
 * @title: clsobel
 * @short_description: edges: the gradient of each component or of the intensity
 *
 * Finds edges with the Sobel operator: the gradient of the 3x3 window around each sample, the middle row weighted
 * twice.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clsobel ! videoconvert ! autovideosink
 * ]|
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clsobel output=x signed=true scale=0.25 domain=intensity ! videoconvert ! autovideosink
 * ]| What gets brighter to the right is brighter than grey, what gets darker is darker.
 */
#include "edges/edges.hpp"

using namespace gst::cl;

static const FilterDescription description{
    .long_name = "OpenCL Sobel edges",
    .description = "Finds edges with the Sobel operator",
    .properties = edge_properties (),
    .windowed = true,
    .create =
        [] {
          return make_edges ({1, 2});
        },
    .neutral = [] (const Values &) { return false; },
};

GST_CL_DEFINE_FILTER (GstClSobel, gst_cl_sobel, clsobel, description)
