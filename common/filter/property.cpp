/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/property.hpp"

#include <gst/gst.h>

#include <algorithm>
#include <utility>

namespace gst::cl {

namespace {

/* Nicknames that are not simply the name in words. */
constexpr std::pair<std::string_view, const char *> nicknames[] = {
    {"defines", "Macros"},
    {"mono", "Monochrome"},
    {"offset-x", "Horizontal offset"},
    {"offset-y", "Vertical offset"},
    {"params", "Parameters"},
    {"radius-y", "Vertical radius"},
    {"roi-expand", "Region growth"},
    {"roi-invert", "Outside regions"},
    {"roi-x", "Region left"},
    {"roi-y", "Region top"},
    {"sigma-range", "Range sigma"},
    {"sigma-space", "Spatial sigma"},
    {"tiles-x", "Horizontal tiles"},
    {"tiles-y", "Vertical tiles"},
    {"video-direction", "Direction"},
    {"watch", "Watch file"},
    {"xpos", "Left"},
    {"ypos", "Top"},
};

/* Converts a list that cannot be written as text into one that can. */
gboolean
rewrite_value_array (GQuark, GValue *value, gpointer)
{
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  if (!G_VALUE_HOLDS (value, g_value_array_get_type ()))
    return TRUE;
  GValue list = G_VALUE_INIT;
  g_value_init (&list, GST_TYPE_ARRAY);
  const auto *array = static_cast<const GValueArray *> (g_value_get_boxed (value));
  for (guint i = 0; array && i < array->n_values; i++)
    gst_value_array_append_value (&list, array->values + i);
  g_value_unset (value);
  *value = list;
  return TRUE;
  G_GNUC_END_IGNORE_DEPRECATIONS
}

std::string
text_of (const GstStructure *structure)
{
  if (!structure || !gst_structure_n_fields (structure))
    return "";
  g_autoptr (GstStructure) plain = gst_structure_copy (structure);
  gst_structure_map_in_place (plain, rewrite_value_array, nullptr);
  g_autofree gchar *text = gst_structure_to_string (plain);
  return text;
}

std::string
lines_of (const GValue *list)
{
  std::string lines;
  for (guint i = 0; i < gst_value_array_get_size (list); i++) {
    const GstStructure *each = gst_value_get_structure (gst_value_array_get_value (list, i));
    g_autofree gchar *line = each ? gst_structure_to_string (each) : nullptr;
    if (line)
      lines += std::string (line) + "\n";
  }
  return lines;
}

/* A region without one of its numbers would cover another part of the picture than meant. */
std::optional<std::string>
regions_complaint (const std::string &lines)
{
  for (const Ref<GstStructure> &each : structures_in (lines))
    for (const char *field : {"x", "y", "width", "height"})
      if (!number_in (each.get (), field))
        return "no number " + std::string (field) + " in " + text_of (each.get ());
  return std::nullopt;
}

void
append_lines (const std::string &lines, GValue *list)
{
  for (const Ref<GstStructure> &each : structures_in (lines)) {
    GValue item = G_VALUE_INIT;
    g_value_init (&item, GST_TYPE_STRUCTURE);
    g_value_set_boxed (&item, each.get ());
    gst_value_array_append_and_take_value (list, &item);
  }
}

}  // namespace

std::vector<Ref<GstStructure>>
structures_in (const std::string &lines)
{
  std::vector<Ref<GstStructure>> all;
  for (size_t at = 0, end; (end = lines.find ('\n', at)) != std::string::npos; at = end + 1)
    if (GstStructure *each = gst_structure_from_string (lines.substr (at, end - at).c_str (), nullptr))
      all.emplace_back (each);
  return all;
}

std::optional<int64_t>
number_in (const GstStructure *structure, const char *field)
{
  const GValue *value = gst_structure_get_value (structure, field);
  GValue number = G_VALUE_INIT;
  g_value_init (&number, G_TYPE_INT64);
  if (!value || G_VALUE_HOLDS_STRING (value) || !g_value_transform (value, &number))
    return std::nullopt;
  return g_value_get_int64 (&number);
}

std::string
text_in (const GValue *value)
{
  if (GST_VALUE_HOLDS_STRUCTURE (value))
    return text_of (static_cast<const GstStructure *> (g_value_get_boxed (value)));
  if (GST_VALUE_HOLDS_ARRAY (value))
    return lines_of (value);
  const gchar *text = g_value_get_string (value);
  return text ? text : "";
}

void
set_text (GValue *value, const std::string &text)
{
  if (GST_VALUE_HOLDS_STRUCTURE (value))
    g_value_take_boxed (value, text.empty () ? nullptr : gst_structure_from_string (text.c_str (), nullptr));
  else if (GST_VALUE_HOLDS_ARRAY (value))
    append_lines (text, value);
  else
    g_value_set_string (value, text.c_str ());
}

void
Values::set (const Property &property, const GValue *value)
{
  const std::shared_ptr<void> changed = copies (content.get ());
  property.set (changed.get (), value);
  content = changed;
}

void
Values::get (const Property &property, GValue *value) const
{
  property.get (content.get (), value);
  /* GStreamer cannot write a preset with a null structure */
  if (property.kind == PropertyKind::structure && !g_value_get_boxed (value))
    g_value_take_boxed (value, gst_structure_new_empty (property.name));
}

void
Values::copy (const Property &property, const Values &from)
{
  const std::shared_ptr<void> changed = copies (content.get ());
  if (property.copy (changed.get (), from.content.get ()))
    content = changed;
}

std::string
nickname (std::string_view name)
{
  for (const auto &[irregular, nick] : nicknames) {
    if (irregular == name)
      return nick;
  }
  std::string words (name);
  if (name.starts_with ("roi-"))
    words.replace (0, 3, "region");
  std::replace (words.begin (), words.end (), '-', ' ');
  words[0] = g_ascii_toupper (words[0]);
  return words;
}

GParamSpec *
make_param_spec (const Property &p, const Values &defaults)
{
  /* GLib copies the nickname */
  constexpr auto fixed_texts = G_PARAM_STATIC_NAME | G_PARAM_STATIC_BLURB;
  constexpr auto plain = GParamFlags (G_PARAM_READWRITE | fixed_texts | GST_PARAM_MUTABLE_PLAYING);
  /* flags of properties that a GstControlBinding can set */
  constexpr auto live = GParamFlags (plain | GST_PARAM_CONTROLLABLE);
  const std::string words = nickname (p.name);
  const char *nick = words.c_str ();
  g_auto (GValue) initial = G_VALUE_INIT;
  const auto read = [&] (GType type) {
    g_value_init (&initial, type);
    defaults.get (p, &initial);
    return &initial;
  };
  switch (p.kind) {
    case PropertyKind::integer:
      return g_param_spec_int (
          p.name, nick, p.blurb, int (p.minimum), int (p.maximum), g_value_get_int (read (G_TYPE_INT)), live);
    case PropertyKind::unsigned_integer:
      return g_param_spec_uint (
          p.name, nick, p.blurb, guint (p.minimum), guint (p.maximum), g_value_get_uint (read (G_TYPE_UINT)), live);
    case PropertyKind::time:
      return g_param_spec_uint64 (
          p.name, nick, p.blurb, 0, guint64 (p.maximum), g_value_get_uint64 (read (G_TYPE_UINT64)), live);
    case PropertyKind::real:
      return g_param_spec_double (p.name, nick, p.blurb, p.minimum, p.maximum, g_value_get_double (read (G_TYPE_DOUBLE)), live);
    case PropertyKind::boolean:
      return g_param_spec_boolean (p.name, nick, p.blurb, g_value_get_boolean (read (G_TYPE_BOOLEAN)), live);
    case PropertyKind::enumeration:
      return g_param_spec_enum (p.name, nick, p.blurb, p.type (), g_value_get_enum (read (p.type ())), live);
    case PropertyKind::flags:
      return g_param_spec_flags (p.name, nick, p.blurb, p.type (), g_value_get_flags (read (p.type ())), plain);
    case PropertyKind::structure:
      return g_param_spec_boxed (p.name, nick, p.blurb, GST_TYPE_STRUCTURE, plain);
    case PropertyKind::list:
      return gst_param_spec_array (
          p.name, nick, p.blurb, g_param_spec_boxed ("item", "Item", "One of the list", GST_TYPE_STRUCTURE, plain), plain);
    case PropertyKind::text:
      break;
  }
  return g_param_spec_string (p.name, nick, p.blurb, g_value_get_string (read (G_TYPE_STRING)), plain);
}

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
        "roi-source", "Source of the rectangles to filter", enum_type<"GstClRoiSource", roi_source_values>),
    property<&CommonSettings::roi_labels> ("roi-labels",
        "With roi-source=meta, list or analytics: types of the regions to filter, separated by commas; \"\" = all"),
    text_as (PropertyKind::list,
        property<&CommonSettings::roi_list> ("roi-list",
            "With roi-source=list: the regions, structures with x, y, width, height and perhaps id, label", regions_complaint)),
    property<&CommonSettings::roi_shape> (
        "roi-shape", "Shape of the regions in their rectangles", enum_type<"GstClRoiShape", roi_shape_values>),
    property<&CommonSettings::roi_feather> (
        "roi-feather", "Soft edge, inwards, in parts of the smaller half axis of a region", 0, 1),
    property<&CommonSettings::roi_expand> (
        "roi-expand", "Growth of each region around its centre, in parts of its size", -0.5, 4),
    property<&CommonSettings::roi_invert> ("roi-invert", "Filter everything but the regions"),
    property<&CommonSettings::roi_hold> (
        "roi-hold", "Number of frames for which a lost region stays, and moves at its last speed", 0, 300),
    property<&CommonSettings::roi_scale> (
        "roi-scale", "Window sizes are for a region whose smaller side is 100 pixels, and scale with the region"),
    property<&CommonSettings::profile> ("profile", "Measure kernel times, for the fields kernel-time-ns-... of stats"),
    property<&CommonSettings::border> ("border", "Samples outside the frame", enum_type<"GstClBorder", border_values>),
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
