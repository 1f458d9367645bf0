/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/property.hpp"

namespace gst::cl {

Values::Values (std::span<const Property> table)
{
  for (const Property &property : table) {
    numbers.push_back (property.initial);
    texts.emplace_back (property.initial_text);
  }
}

void
Values::set (unsigned i, const Property &property, const GValue *value)
{
  switch (property.kind) {
    case PropertyKind::integer:
      numbers[i] = g_value_get_int (value);
      break;
    case PropertyKind::unsigned_integer:
      numbers[i] = g_value_get_uint (value);
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
  }
}

void
Values::copy (unsigned i, const Values &from)
{
  numbers[i] = from.numbers[i];
  texts[i] = from.texts[i];
}

void
Values::append (const Values &more)
{
  numbers.insert (numbers.end (), more.numbers.begin (), more.numbers.end ());
  texts.insert (texts.end (), more.texts.begin (), more.texts.end ());
}

GParamSpec *
make_param_spec (const Property &p)
{
  constexpr auto plain = GParamFlags (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
  constexpr auto live = GParamFlags (plain | GST_PARAM_CONTROLLABLE);
  switch (p.kind) {
    case PropertyKind::integer:
      return g_param_spec_int (p.name, nullptr, p.blurb, int (p.minimum), int (p.maximum), int (p.initial), live);
    case PropertyKind::unsigned_integer:
      return g_param_spec_uint (p.name, nullptr, p.blurb, guint (p.minimum), guint (p.maximum), guint (p.initial), live);
    case PropertyKind::real:
      return g_param_spec_double (p.name, nullptr, p.blurb, p.minimum, p.maximum, p.initial, live);
    case PropertyKind::boolean:
      return g_param_spec_boolean (p.name, nullptr, p.blurb, p.initial != 0, live);
    case PropertyKind::enumeration:
      return g_param_spec_enum (p.name, nullptr, p.blurb, p.type (), int (p.initial), live);
    case PropertyKind::flags:
      return g_param_spec_flags (p.name, nullptr, p.blurb, p.type (), guint (p.initial), live);
    case PropertyKind::text:
      break;
  }
  return g_param_spec_string (p.name, nullptr, p.blurb, p.initial_text, plain);
}

}  // namespace gst::cl
