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
    {"roi-feather", "Region feather"},
    {"roi-height", "Region height"},
    {"roi-hold", "Region hold"},
    {"roi-invert", "Outside regions"},
    {"roi-labels", "Region labels"},
    {"roi-list", "Region list"},
    {"roi-scale", "Region scale"},
    {"roi-shape", "Region shape"},
    {"roi-source", "Region source"},
    {"roi-width", "Region width"},
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

void
append_lines (const std::string &lines, GValue *list)
{
  for (const StructureRef &each : structures_in (lines)) {
    GValue item = G_VALUE_INIT;
    g_value_init (&item, GST_TYPE_STRUCTURE);
    g_value_set_boxed (&item, each.get ());
    gst_value_array_append_and_take_value (list, &item);
  }
}

}  // namespace

std::vector<StructureRef>
structures_in (const std::string &lines)
{
  std::vector<StructureRef> all;
  for (size_t at = 0, end; (end = lines.find ('\n', at)) != std::string::npos; at = end + 1)
    if (GstStructure *each = gst_structure_from_string (lines.substr (at, end - at).c_str (), nullptr))
      all.emplace_back (each);
  return all;
}

Values::Values (std::span<const Property> table)
{
  for (const Property &property : table) {
    numbers.push_back (property.initial);
    texts.emplace_back (property.initial_text);
  }
  set_by_hand.resize (table.size ());
}

void
Values::set (unsigned i, const Property &property, const GValue *value)
{
  set_by_hand[i] = true;
  switch (property.kind) {
    case PropertyKind::integer:
      numbers[i] = g_value_get_int (value);
      break;
    case PropertyKind::unsigned_integer:
      numbers[i] = g_value_get_uint (value);
      break;
    case PropertyKind::time:
      numbers[i] = double (g_value_get_uint64 (value));
      break;
    case PropertyKind::real:
      numbers[i] = g_value_get_double (value);
      break;
    case PropertyKind::boolean:
      numbers[i] = g_value_get_boolean (value);
      break;
    case PropertyKind::enumeration:
      numbers[i] = g_value_get_enum (value);
      break;
    case PropertyKind::flags:
      numbers[i] = g_value_get_flags (value);
      break;
    case PropertyKind::text:
      texts[i] = g_value_get_string (value) ? g_value_get_string (value) : "";
      break;
    case PropertyKind::structure:
      texts[i] = text_of (static_cast<const GstStructure *> (g_value_get_boxed (value)));
      break;
    case PropertyKind::list:
      texts[i] = lines_of (value);
      break;
  }
}

void
Values::get (unsigned i, const Property &property, GValue *value) const
{
  switch (property.kind) {
    case PropertyKind::integer:
      g_value_set_int (value, integer (i));
      break;
    case PropertyKind::unsigned_integer:
      g_value_set_uint (value, static_cast<guint> (real (i)));
      break;
    case PropertyKind::time:
      g_value_set_uint64 (value, static_cast<guint64> (real (i)));
      break;
    case PropertyKind::real:
      g_value_set_double (value, real (i));
      break;
    case PropertyKind::boolean:
      g_value_set_boolean (value, boolean (i));
      break;
    case PropertyKind::enumeration:
      g_value_set_enum (value, integer (i));
      break;
    case PropertyKind::flags:
      g_value_set_flags (value, static_cast<guint> (real (i)));
      break;
    case PropertyKind::text:
      g_value_set_string (value, text (i).c_str ());
      break;
    case PropertyKind::structure:
      /* GStreamer cannot write a preset with a null structure */
      g_value_take_boxed (value,
          text (i).empty () ? gst_structure_new_empty (property.name) : gst_structure_from_string (text (i).c_str (), nullptr));
      break;
    case PropertyKind::list:
      append_lines (text (i), value);
      break;
  }
}

void
Values::copy (unsigned i, const Values &from)
{
  numbers[i] = from.numbers[i];
  texts[i] = from.texts[i];
  set_by_hand[i] = from.set_by_hand[i];
}

void
Values::append (const Values &more)
{
  numbers.insert (numbers.end (), more.numbers.begin (), more.numbers.end ());
  texts.insert (texts.end (), more.texts.begin (), more.texts.end ());
  set_by_hand.insert (set_by_hand.end (), more.set_by_hand.begin (), more.set_by_hand.end ());
}

std::string
nickname (std::string_view name)
{
  for (const auto &[irregular, nick] : nicknames) {
    if (irregular == name)
      return nick;
  }
  std::string words (name);
  std::replace (words.begin (), words.end (), '-', ' ');
  words[0] = g_ascii_toupper (words[0]);
  return words;
}

GParamSpec *
make_param_spec (const Property &p)
{
  /* GLib copies the nickname */
  constexpr auto fixed_texts = G_PARAM_STATIC_NAME | G_PARAM_STATIC_BLURB;
  constexpr auto plain = GParamFlags (G_PARAM_READWRITE | fixed_texts | GST_PARAM_MUTABLE_PLAYING);
  /* flags of properties that a GstControlBinding can set */
  constexpr auto live = GParamFlags (plain | GST_PARAM_CONTROLLABLE);
  const std::string words = nickname (p.name);
  const char *nick = words.c_str ();
  switch (p.kind) {
    case PropertyKind::integer:
      return g_param_spec_int (p.name, nick, p.blurb, int (p.minimum), int (p.maximum), int (p.initial), live);
    case PropertyKind::unsigned_integer:
      return g_param_spec_uint (p.name, nick, p.blurb, guint (p.minimum), guint (p.maximum), guint (p.initial), live);
    case PropertyKind::time:
      return g_param_spec_uint64 (p.name, nick, p.blurb, 0, guint64 (p.maximum), guint64 (p.initial), live);
    case PropertyKind::real:
      return g_param_spec_double (p.name, nick, p.blurb, p.minimum, p.maximum, p.initial, live);
    case PropertyKind::boolean:
      return g_param_spec_boolean (p.name, nick, p.blurb, p.initial != 0, live);
    case PropertyKind::enumeration:
      return g_param_spec_enum (p.name, nick, p.blurb, p.type (), int (p.initial), live);
    case PropertyKind::flags:
      return g_param_spec_flags (p.name, nick, p.blurb, p.type (), guint (p.initial), plain);
    case PropertyKind::structure:
      return g_param_spec_boxed (p.name, nick, p.blurb, GST_TYPE_STRUCTURE, plain);
    case PropertyKind::list:
      return gst_param_spec_array (
          p.name, nick, p.blurb, g_param_spec_boxed ("item", "Item", "One of the list", GST_TYPE_STRUCTURE, plain), plain);
    case PropertyKind::text:
      break;
  }
  return g_param_spec_string (p.name, nick, p.blurb, p.initial_text, plain);
}

}  // namespace gst::cl
