/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/params.hpp"

#include <algorithm>
#include <cfloat>
#include <cstring>
#include <optional>

namespace gst::cl {

namespace {

[[noreturn]] void
refuse (const ProgramArgument &argument, const std::string &why)
{
  throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, "The kernel's argument " + argument.name + ": " + why,
      "in the property params");
}

enum class Holds { integer, real, other };

/* A type of fields, by GStreamer's name. */
struct FieldType {
  GType type;
  const char *name;
  Holds holds;
};

/* Returns null for other types. */
const FieldType *
field_type (const GValue *value)
{
  static const FieldType types[] = {{G_TYPE_INT, "int", Holds::integer}, {G_TYPE_UINT, "uint", Holds::integer},
      {G_TYPE_INT64, "int64", Holds::integer}, {G_TYPE_UINT64, "uint64", Holds::integer},
      {G_TYPE_DOUBLE, "double", Holds::real}, {G_TYPE_FLOAT, "float", Holds::real}, {G_TYPE_BOOLEAN, "boolean", Holds::integer},
      {G_TYPE_STRING, "string", Holds::other}, {GST_TYPE_FRACTION, "fraction", Holds::real},
      {GST_TYPE_ARRAY, "array", Holds::other}, {GST_TYPE_LIST, "list", Holds::other}};
  const auto found = std::ranges::find_if (types, [value] (const FieldType &each) { return G_VALUE_HOLDS (value, each.type); });
  return found == std::end (types) ? nullptr : found;
}

std::string
kind_of (const GValue *value)
{
  const FieldType *type = field_type (value);
  return type ? type->name : G_VALUE_TYPE_NAME (value);
}

struct Number {
  double value;
  bool is_integer;
};

std::optional<Number>
number_of (const GValue *value)
{
  const FieldType *type = field_type (value);
  if (!type || type->holds == Holds::other)
    return std::nullopt;
  if (type->type == G_TYPE_BOOLEAN) /* GLib does not convert it to a double */
    return Number{double (g_value_get_boolean (value)), true};
  g_auto (GValue) number = G_VALUE_INIT;
  g_value_init (&number, G_TYPE_DOUBLE);
  g_value_transform (value, &number);
  return Number{g_value_get_double (&number), type->holds == Holds::integer};
}

std::string
wrong_type (const ProgramArgument &argument, const GValue *value)
{
  return "it is of type " + argument.type + ", the field in params is of type " + kind_of (value) + ".";
}

/* Parses "0.1 0.2 0.3", or the hexadecimal digits of a colour, scaled to 0 .. 1; alpha defaults to 1. */
std::vector<Number>
numbers_in (const ProgramArgument &argument, const ParamType &type, const std::string &text)
{
  std::vector<Number> numbers;
  if (!text.empty () && text[0] == '#' && !type.is_integer ()) {
    const std::string digits = text.substr (1);
    const bool valid = (digits.size () == 6 || digits.size () == 8)
                       && std::ranges::all_of (digits, [] (char c) { return g_ascii_isxdigit (c); });
    if (!valid)
      refuse (argument, "\"" + text + "\" is not a colour; write #rrggbb or #rrggbbaa.");
    for (size_t i = 0; i < digits.size (); i += 2)
      numbers.push_back ({std::stoi (digits.substr (i, 2), nullptr, 16) / 255.0, false});
    if (type.count == 4 && numbers.size () == 3)
      numbers.push_back ({1, false});
    if (type.count == 3 && numbers.size () == 4)
      numbers.pop_back ();
    return numbers;
  }
  g_auto (GStrv) words = g_strsplit_set (text.c_str (), " ,;()<>", -1);
  for (gchar **word = words; *word; word++) {
    if (!**word)
      continue;
    gchar *end = nullptr;
    const double value = g_ascii_strtod (*word, &end);
    if (*end)
      refuse (argument, "\"" + std::string (*word) + "\" in \"" + text + "\" is no number.");
    numbers.push_back ({value, !strpbrk (*word, ".eEnN")});
  }
  return numbers;
}

std::vector<Number>
numbers_of (const ProgramArgument &argument, const ParamType &type, const GValue *value)
{
  if (const std::optional<Number> number = number_of (value))
    return {*number};
  if (type.count > 1 && G_VALUE_HOLDS_STRING (value))
    return numbers_in (argument, type, g_value_get_string (value) ? g_value_get_string (value) : "");
  if (type.count == 1 || !GST_VALUE_HOLDS_ARRAY (value))
    refuse (argument, wrong_type (argument, value));
  std::vector<Number> numbers;
  for (guint i = 0; i < gst_value_array_get_size (value); i++) {
    const GValue *item = gst_value_array_get_value (value, i);
    const std::optional<Number> number = number_of (item);
    if (!number)
      refuse (argument,
          "it is of type " + argument.type + ", an element of the field in params is of type " + kind_of (item) + ".");
    numbers.push_back (*number);
  }
  return numbers;
}

template <typename T>
void
append (ArgumentBytes &bytes, T value)
{
  const auto *first = reinterpret_cast<const std::byte *> (&value);
  bytes.insert (bytes.end (), first, first + sizeof value);
}

std::string
text_of (double number, const char *format = "%.7g")
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];
  return g_ascii_formatd (text, sizeof text, format, number);
}

/* value: null if there is none. */
ArgumentBytes
bytes_of (const ProgramArgument &argument, const GValue *value)
{
  const ParamType &type = *param_type (argument.type);
  std::vector<Number> numbers (type.count, Number{0, true});
  if (value)
    numbers = numbers_of (argument, type, value);
  else if (!argument.initial.empty ())
    numbers = numbers_in (argument, type, argument.initial);
  if (numbers.size () != type.count)
    refuse (argument, "it is of type " + argument.type + ", the field in params has " + std::to_string (numbers.size ())
                          + (numbers.size () == 1 ? " number." : " numbers."));
  ArgumentBytes bytes;
  for (const Number &number : numbers) {
    if (type.is_integer () && !number.is_integer)
      refuse (argument, wrong_type (argument, value));
    if (number.value < argument.minimum || number.value > argument.maximum)
      refuse (argument, text_of (number.value) + " is not between " + text_of (argument.minimum) + " and "
                            + text_of (argument.maximum) + ", the range in its @param line.");
    if (type.is_integer () && (number.value < type.least || number.value > type.greatest))
      refuse (argument, text_of (number.value, "%.17g") + " is no " + argument.type + ".");
    if (type.base == ParamType::int32)
      append (bytes, cl_int (number.value));
    else if (type.base == ParamType::uint32)
      append (bytes, cl_uint (number.value));
    else if (type.base == ParamType::real)
      append (bytes, cl_float (number.value));
    else
      append (bytes, cl_double (number.value));
  }
  if (type.count == 3) /* in OpenCL, a vector of three has the size of four */
    append (bytes, cl_float (0));
  return bytes;
}

}  // namespace

const ParamType *
param_type (const std::string &name)
{
  static const ParamType types[] = {{"int", ParamType::int32, 1, CL_INT_MIN, CL_INT_MAX},
      {"int2", ParamType::int32, 2, CL_INT_MIN, CL_INT_MAX}, {"int4", ParamType::int32, 4, CL_INT_MIN, CL_INT_MAX},
      {"uint", ParamType::uint32, 1, 0, CL_UINT_MAX}, {"uint2", ParamType::uint32, 2, 0, CL_UINT_MAX},
      {"uint4", ParamType::uint32, 4, 0, CL_UINT_MAX}, {"float", ParamType::real, 1, -FLT_MAX, FLT_MAX},
      {"float2", ParamType::real, 2, -FLT_MAX, FLT_MAX}, {"float3", ParamType::real, 3, -FLT_MAX, FLT_MAX},
      {"float4", ParamType::real, 4, -FLT_MAX, FLT_MAX}, {"double", ParamType::double_real, 1, -DBL_MAX, DBL_MAX}};
  const auto found = std::ranges::find (types, name, &ParamType::name);
  return found == std::end (types) ? nullptr : found;
}

bool
can_be_property (const std::string &name)
{
  return g_ascii_isalpha (name[0]) && name != "name" && name != "parent";
}

std::vector<ArgumentBytes>
bind_arguments (const std::vector<ProgramArgument> &arguments, const GstStructure *fields)
{
  std::vector<ArgumentBytes> values;
  for (const ProgramArgument &argument : arguments) {
    const GValue *value = fields ? gst_structure_get_value (fields, argument.name.c_str ()) : nullptr;
    values.push_back (bytes_of (argument, value));
  }
  return values;
}

std::string
unset_arguments (const std::vector<ProgramArgument> &arguments, const GstStructure *fields)
{
  std::string unset;
  for (const ProgramArgument &argument : arguments)
    if (!argument.declared && !(fields && gst_structure_has_field (fields, argument.name.c_str ())))
      unset += (unset.empty () ? "" : ", ") + argument.name;
  return unset;
}

std::string
unused_fields (const std::vector<ProgramArgument> &arguments, const GstStructure *fields)
{
  std::string unused;
  for (int i = 0; fields && i < gst_structure_n_fields (fields); i++) {
    const std::string name = gst_structure_nth_field_name (fields, i);
    if (std::ranges::find (arguments, name, &ProgramArgument::name) == arguments.end ())
      unused += (unused.empty () ? "" : ", ") + name;
  }
  return unused;
}

}  // namespace gst::cl
