/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clmorphology
 * @title: clmorphology
 * @short_description: opening, closing, gradient, top hat and black hat
 *
 * Erosions and dilations in a row, each of them #GstClMorphology:iterations times: an opening removes bright details
 * that the element does not fit into, a closing dark ones; top hat and black hat are what they remove, and the
 * gradient is what a dilation and an erosion make of an edge. The dilation reflects the element, so that with any
 * element opening and closing twice is the same as once.
 *
 * Each component is filtered by itself, bit-exact at every depth. Samples outside the frame do not take part unless
 * #GstClMorphology:border is set to another rule than replicate; every stage sees the border of the picture before it.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clmorphology operation=open radius=2 ! videoconvert ! autovideosink
 * ]| Bright details go, the rest keeps its shape.
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clmorphology operation=gradient ! videoconvert ! autovideosink
 * ]| Edges.
 */
#include "filter/gstclfilter.hpp"
#include "morphology/morphology.hpp"

using namespace gst::cl;

namespace {

enum : unsigned { OPERATION, SHARED };

GType
operation_get_type ()
{
  static const GEnumValue values[] = {
      {int (MorphologyMethod::open), "Erosion, then dilation", "open"},
      {int (MorphologyMethod::close), "Dilation, then erosion", "close"},
      {int (MorphologyMethod::gradient), "Dilation minus erosion", "gradient"},
      {int (MorphologyMethod::tophat), "The picture minus its opening", "tophat"},
      {int (MorphologyMethod::blackhat), "The closing minus the picture", "blackhat"},
      {int (MorphologyMethod::erode), "The least sample", "erode"},
      {int (MorphologyMethod::dilate), "The greatest sample", "dilate"},
      {0, nullptr, nullptr},
  };
  static const GType type = g_enum_register_static ("GstClMorphologyOperation", values);
  return type;
}

const Property properties[] = {
    /**
     * GstClMorphology:operation:
     *
     * What is done with the element. Differences below 0 are 0.
     */
    enum_property ("operation", "What is computed", operation_get_type, int (MorphologyMethod::open)),
    /**
     * GstClMorphology:radius:
     *
     * Half the element's width, in samples of the plane: a rectangle has 2 * radius + 1 columns.
     */
    morphology_radius,
    /**
     * GstClMorphology:radius-y:
     *
     * Half the element's height. -1 stands for the radius, 0 for a single row.
     */
    morphology_radius_y,
    /**
     * GstClMorphology:shape:
     *
     * The element: a rectangle, a cross of a row and a column, or an ellipse, (dx/rx)^2 + (dy/ry)^2 <= 1.
     */
    morphology_shape,
    /**
     * GstClMorphology:element:
     *
     * An element of one's own: rows of 0 and 1 separated by `;`, samples by spaces or commas, 1 to 31 each way. The
     * sample that is written lies under column floor (width / 2) and row floor (height / 2). "" takes the shape. A
     * string that does not parse, or has no 1, is refused with a warning, and the old one stays.
     */
    morphology_element,
    /**
     * GstClMorphology:iterations:
     *
     * How often each erosion and each dilation is repeated.
     */
    morphology_iterations,
};

MorphologySettings
settings_of (const Values &values)
{
  return morphology_settings (MorphologyMethod (values.integer (OPERATION)), values, SHARED);
}

const FilterDescription description{
    .long_name = "OpenCL morphology",
    .klass = "Filter/Effect/Video/Hardware",
    .description = "Opening, closing, gradient and hats with a structuring element",
    .properties = properties,
    .windowed = true,
    .create = [] { return morphology_create (settings_of); },
    .neutral = [] (const Values &values) { return morphology_is_neutral (settings_of (values)); },
    .complaint = morphology_complaint,
};

}  // namespace

GST_CL_DEFINE_FILTER (GstClMorphology, gst_cl_morphology, clmorphology, description)
