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
/**
 * GstClPrewitt:output:
 *
 * What is written: the length of the gradient, the sum of the magnitudes of its two parts, or one part.
 */
/**
 * GstClPrewitt:scale:
 *
 * Factor applied to the gradient, which is not normalised.
 */
/**
 * GstClPrewitt:delta:
 *
 * Added to the result, as a fraction of full scale.
 */
/**
 * GstClPrewitt:signed:
 *
 * With output x or y: writes half the gradient around mid-grey instead of its magnitude.
 */
/**
 * GstClPrewitt:domain:
 *
 * intensity: the gradient of 0.3 R + 0.59 G + 0.11 B (of luma in YUV), written to every colour component;
 * per-component: each by itself; auto: intensity for YUV, per-component for RGB.
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
