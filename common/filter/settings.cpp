/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/settings.hpp"

namespace gst::cl {

GType
planes_get_type ()
{
  static const GFlagsValue values[] = {
      {1, "Y or R", "y"},
      {2, "U or G", "u"},
      {4, "V or B", "v"},
      {8, "Alpha", "a"},
      {1, "R", "r"},
      {2, "G", "g"},
      {4, "B", "b"},
      {0, nullptr, nullptr},
  };
  static const GType type = g_flags_register_static ("GstClPlanes", values);
  return type;
}

namespace {

constexpr GEnumValue border_values[] = {
    {int (Border::replicate), "The edge sample, repeated: aaa|abcdef|fff", "replicate"},
    {int (Border::reflect), "Reflection, the edge sample repeated: cba|abcdef|fed", "reflect"},
    {int (Border::reflect101), "Reflection, the edge sample not repeated: dcb|abcdef|edc", "reflect101"},
    {int (Border::wrap), "The opposite side: def|abcdef|abc", "wrap"},
    {int (Border::constant), "The value of border-value: vvv|abcdef|vvv", "constant"},
    {},
};

constexpr GEnumValue roi_source_values[] = {
    {int (RoiSource::fixed), "The rectangle of roi-x, roi-y, roi-width and roi-height", "static"},
    {int (RoiSource::meta), "Every GstVideoRegionOfInterestMeta of the buffer, and only those", "meta"},
    {int (RoiSource::list), "The regions of roi-list", "list"},
    {int (RoiSource::analytics), "Every object detection in the buffer's GstAnalyticsRelationMeta, and only those",
        "analytics"},
    {},
};

constexpr GEnumValue roi_shape_values[] = {
    {int (RoiShape::rectangle), "The whole rectangle", "rectangle"},
    {int (RoiShape::ellipse), "The ellipse with the rectangle's axes", "ellipse"},
    {},
};

constexpr Property properties[] = {
    property<&CommonSettings::planes> ("planes", "Components to filter; the others are copied bit by bit", planes_get_type),
    property<&CommonSettings::mix> ("mix", "Blend of input (0) and filtered picture (1)", 0, 1),
    property<&CommonSettings::roi_x> ("roi-x", "Left edge of the rectangle to filter, in pixels", 0, G_MAXINT),
    property<&CommonSettings::roi_y> ("roi-y", "Top edge of the rectangle to filter, in pixels", 0, G_MAXINT),
    property<&CommonSettings::roi_width> (
        "roi-width", "Width of the rectangle to filter, in pixels; 0 = to the frame's edge", 0, G_MAXINT),
    property<&CommonSettings::roi_height> (
        "roi-height", "Height of the rectangle to filter, in pixels; 0 = to the frame's edge", 0, G_MAXINT),
    property<&CommonSettings::roi_source> (
        "roi-source", "Where the rectangles to filter come from", enum_type<"GstClRoiSource", roi_source_values>),
    property<&CommonSettings::roi_labels> ("roi-labels",
        "With roi-source=meta, list or analytics: types of the regions to filter, separated by commas; \"\" = all"),
    text_as (PropertyKind::list,
        property<&CommonSettings::roi_list> (
            "roi-list", "With roi-source=list: the regions, structures with x, y, width, height and perhaps id, label")),
    property<&CommonSettings::roi_shape> (
        "roi-shape", "What of each region's rectangle is filtered", enum_type<"GstClRoiShape", roi_shape_values>),
    property<&CommonSettings::roi_feather> (
        "roi-feather", "Soft edge, inwards, in parts of the smaller half axis of a region", 0, 1),
    property<&CommonSettings::roi_expand> (
        "roi-expand", "Growth of each region around its centre, in parts of its size", -0.5, 4),
    property<&CommonSettings::roi_invert> ("roi-invert", "Filter everything but the regions"),
    property<&CommonSettings::roi_hold> (
        "roi-hold", "For how many frames a region that vanishes stays, moved on at its last speed", 0, 300),
    property<&CommonSettings::roi_scale> (
        "roi-scale", "Take sizes of windows to be for a region whose smaller side is 100 pixels, and others in proportion"),
    property<&CommonSettings::profile> ("profile", "Measure kernel times, for the fields kernel-time-ns-... of stats"),
    property<&CommonSettings::border> ("border", "What is read outside the frame", enum_type<"GstClBorder", border_values>),
    property<&CommonSettings::border_value> ("border-value", "Value for border=constant, as a fraction of full scale", 0, 1),
};

constexpr size_t of_windows = 2, of_all = 1;

}  // namespace

std::span<const Property>
common_properties (bool has_regions, bool windowed)
{
  const std::span<const Property> all (properties);
  const size_t end = all.size () - (windowed ? 0 : of_windows);
  const size_t first = has_regions ? 0 : all.size () - of_windows - of_all;
  return all.subspan (first, end - first);
}

}  // namespace gst::cl
