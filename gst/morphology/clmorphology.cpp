/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmorphology: combines erosions and dilations: removes details smaller than a structuring element, extracts them, or finds
 * edges. */
#include "filter/gstclfilter.hpp"
#include "morphology/morphology.hpp"

namespace gst::cl::clmorphology {

constexpr GEnumValue operation_values[] = {
    {int (MorphologyMethod::open), "Erosion, then dilation", "open"},
    {int (MorphologyMethod::close), "Dilation, then erosion", "close"},
    {int (MorphologyMethod::gradient), "Dilation minus erosion", "gradient"},
    {int (MorphologyMethod::tophat), "The picture minus its opening", "tophat"},
    {int (MorphologyMethod::blackhat), "The closing minus the picture", "blackhat"},
    {int (MorphologyMethod::erode), "The least sample", "erode"},
    {int (MorphologyMethod::dilate), "The greatest sample", "dilate"},
    {},
};

constexpr Property properties[] = {
    property<&MorphologySettings::method> (
        "operation", "What is computed", enum_type<"GstClMorphologyOperation", operation_values>),
    morphology_radius,
    morphology_radius_y,
    morphology_shape,
    morphology_element,
    morphology_iterations,
};

constexpr FilterDescription description = morphology_description<MorphologySettings> (
    "OpenCL morphology", "Opening, closing, gradient and hats with a structuring element", properties);

GST_CL_DEFINE_FILTER (GstClMorphology, gst_cl_morphology, clmorphology, description)

}  // namespace gst::cl::clmorphology
