/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/settings.hpp"

namespace gst::cl {

namespace {

const Property properties[] = {
    flags_property ("planes", "Components to filter; the others are copied bit by bit", planes_get_type, 7),
    real_property ("mix", "Blend of input (0) and filtered picture (1)", 0, 1, 1),
    integer_property ("roi-x", "Left edge of the rectangle to filter, in pixels", 0, G_MAXINT, 0),
    integer_property ("roi-y", "Top edge of the rectangle to filter, in pixels", 0, G_MAXINT, 0),
    integer_property ("roi-width", "Width of the rectangle to filter, in pixels; 0 = to the frame's edge", 0, G_MAXINT, 0),
    integer_property ("roi-height", "Height of the rectangle to filter, in pixels; 0 = to the frame's edge", 0, G_MAXINT, 0),
    enum_property ("roi-source", "Where the rectangles to filter come from", roi_source_get_type, int (RoiSource::fixed)),
    text_property ("roi-labels", "With roi-source=meta: types of the regions to filter, separated by commas; \"\" = all", ""),
    boolean_property ("profile", "Measure kernel times, for the fields kernel-time-ns-... of stats", false),
    enum_property ("border", "What is read outside the frame", border_get_type, int (Border::replicate)),
    real_property ("border-value", "Value for border=constant, as a fraction of full scale", 0, 1, 0),
};

}  // namespace

std::span<const Property>
common_properties (bool windowed)
{
  return std::span (properties).first (windowed ? std::size (properties) : unsigned (COMMON_BORDER));
}

}  // namespace gst::cl
