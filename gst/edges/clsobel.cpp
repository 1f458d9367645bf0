/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clsobel
 * @title: clsobel
 * @short_description: edges by the Sobel operator
 *
 * The gradient of the 3x3 window around each sample: gx is right minus left in each row, with the weights 1 2 1 of the
 * rows, and gy its transpose. The middle row weighs twice. The picture becomes the
 * gradient's length, or with #GstClSobel:output one of its parts.
 *
 * Results are exactly rounded where #GstClSobel:scale is an integer, and otherwise within 1. Alpha stays as it is.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clsobel ! videoconvert ! autovideosink
 * ]|
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clsobel output=x signed=true scale=0.25 domain=intensity ! videoconvert ! autovideosink
 * ]| What gets brighter to the right is brighter than grey, what gets darker is darker.
 */
/**
 * GstClSobel:output:
 *
 * What of the gradient becomes the picture: its length, the sum of the magnitudes of its parts, or one part.
 */
/**
 * GstClSobel:scale:
 *
 * Factor on the gradient, which is not normalised.
 */
/**
 * GstClSobel:delta:
 *
 * Added to the result, of full scale.
 */
/**
 * GstClSobel:signed:
 *
 * With output=x and y: (max + 1) / 2 + g * scale / 2, instead of the magnitude of g.
 */
/**
 * GstClSobel:domain:
 *
 * Each component by itself, or the intensity (in YUV, luma), whose result is written to every colour component. auto takes the
 * intensity of YUV, and each component of RGB.
 */
#include "edges/edges.hpp"

using namespace gst::cl;

static const FilterDescription description{
    .long_name = "OpenCL Sobel edges",
    .klass = "Filter/Effect/Video/Hardware",
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
