/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/params.hpp"

#include "filter/property.hpp"

#include <algorithm>
#include <cfloat>
#include <cstring>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

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
    if (!is_colour (text))
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
      refuse (argument, "\"" + std::string (*word) + "\" in \"" + text + "\" is not a number.");
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
      refuse (argument, text_of (number.value, "%.17g") + " is not of type " + argument.type + ".");
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

size_t
bytes_of_type (const std::string &type)
{
  static const std::pair<const char *, size_t> scalars[] = {{"char", 1}, {"uchar", 1}, {"unsigned char", 1}, {"short", 2},
      {"ushort", 2}, {"unsigned short", 2}, {"half", 2}, {"int", 4}, {"uint", 4}, {"unsigned int", 4}, {"float", 4},
      {"long", 8}, {"ulong", 8}, {"unsigned long", 8}, {"double", 8}};
  const size_t digits = std::min (type.find_first_of ("0123456789"), type.size ());
  const std::string count = type.substr (digits);
  const size_t elements = count.empty () ? 1 : count == "3" ? 4 : g_ascii_strtoull (count.c_str (), nullptr, 10);
  for (const auto &[name, bytes] : scalars)
    if (type.substr (0, digits) == name)
      return bytes * elements;
  return 0;
}

bool
is_colour (const std::string &text)
{
  const std::string_view digits = std::string_view (text).substr (std::min<size_t> (1, text.size ()));
  return text.starts_with ('#') && (digits.size () == 6 || digits.size () == 8)
         && std::ranges::all_of (digits, [] (char c) { return g_ascii_isxdigit (c); });
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

namespace {

struct ParamsObject {
  GstObject parent;
  /* the child may be kept for longer than the element exists */
  GWeakRef owner;
  /* exists as long as the owner */
  std::mutex *setting;
};

GWeakRef *
owner_of (gpointer object)
{
  return &reinterpret_cast<ParamsObject *> (object)->owner;
}

struct ParamsClass {
  GstObjectClass parent_class;
  /* indexed by property id - 1; lives as long as the process, like GTypes */
  const std::vector<ProgramArgument> *arguments;
};

const std::vector<ProgramArgument> &
child_arguments (gpointer object)
{
  return *G_TYPE_INSTANCE_GET_CLASS (object, 0, ParamsClass)->arguments;
}

/* Holds the owner's lock, so that no other field is set between reading the structure and setting it. Emits notify::params without it,
 * because handlers may set another field, or wait for a thread that does. */
void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *)
{
  g_autoptr (GObject) owner = static_cast<GObject *> (g_weak_ref_get (owner_of (object)));
  if (!owner)
    return;
  {
    const std::lock_guard lock (*reinterpret_cast<ParamsObject *> (object)->setting);
    g_object_freeze_notify (owner);
    g_autoptr (GstStructure) fields = nullptr;
    g_object_get (owner, "params", &fields, nullptr);
    if (!fields)
      fields = gst_structure_new_empty ("params");
    const char *name = child_arguments (object)[id - 1].name.c_str ();
    if (G_VALUE_HOLDS_STRING (value) && !g_value_get_string (value))
      gst_structure_remove_field (fields, name);
    else
      gst_structure_set_value (fields, name, value);
    g_object_set (owner, "params", fields, nullptr);
  }
  g_object_thaw_notify (owner);
}

void
get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  g_param_value_set_default (spec, value);
  g_autoptr (GObject) owner = static_cast<GObject *> (g_weak_ref_get (owner_of (object)));
  if (!owner)
    return;
  g_autoptr (GstStructure) fields = nullptr;
  g_object_get (owner, "params", &fields, nullptr);
  const GValue *field = fields ? gst_structure_get_value (fields, child_arguments (object)[id - 1].name.c_str ()) : nullptr;
  if (field && g_value_type_transformable (G_VALUE_TYPE (field), G_VALUE_TYPE (value)))
    g_value_transform (field, value);
}

GParamSpec *
make_spec (const ProgramArgument &argument)
{
  constexpr auto text_flags = GParamFlags (G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING);
  constexpr auto flags = GParamFlags (text_flags | GST_PARAM_CONTROLLABLE);
  const char *name = argument.name.c_str ();
  std::string words = argument.name;
  std::ranges::replace (words, '_', '-');
  const std::string nick = nickname (words);
  const std::string blurb = argument.blurb.empty () ? "The kernel's argument " + argument.name : argument.blurb;
  const ParamType &type = *param_type (argument.type);
  const double minimum = std::max (argument.minimum, type.least), maximum = std::min (argument.maximum, type.greatest);
  const double initial = g_ascii_strtod (argument.initial.c_str (), nullptr);
  if (type.count > 1)
    return g_param_spec_string (name, nick.c_str (), blurb.c_str (), argument.initial.c_str (), text_flags);
  if (argument.is_switch)
    return g_param_spec_boolean (name, nick.c_str (), blurb.c_str (), initial != 0, flags);
  if (argument.type == "int")
    return g_param_spec_int (name, nick.c_str (), blurb.c_str (), gint (minimum), gint (maximum), gint (initial), flags);
  if (argument.type == "uint")
    return g_param_spec_uint (name, nick.c_str (), blurb.c_str (), guint (minimum), guint (maximum), guint (initial), flags);
  return g_param_spec_double (name, nick.c_str (), blurb.c_str (), minimum, maximum, initial, flags);
}

void
class_init (gpointer klass, gpointer data)
{
  static_cast<ParamsClass *> (klass)->arguments = static_cast<const std::vector<ProgramArgument> *> (data);
  GObjectClass *object = G_OBJECT_CLASS (klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = [] (GObject *object) {
    g_weak_ref_clear (owner_of (object));
    G_OBJECT_CLASS (g_type_class_peek_static (GST_TYPE_OBJECT))->finalize (object);
  };
  guint id = 1;
  for (const ProgramArgument &argument : *static_cast<const std::vector<ProgramArgument> *> (data))
    g_object_class_install_property (object, id++, make_spec (argument));
}

/* The arguments that can be properties. */
std::vector<ProgramArgument>
usable (std::vector<ProgramArgument> arguments)
{
  std::erase_if (arguments, [] (const ProgramArgument &each) { return !can_be_property (each.name); });
  return arguments;
}

/* Registers one type for each list of arguments. */
GType
type_for (const std::vector<ProgramArgument> &arguments)
{
  static std::mutex mutex;
  static std::list<std::pair<std::vector<ProgramArgument>, GType>> types;
  const std::lock_guard lock (mutex);
  for (const auto &[known, type] : types)
    if (known == arguments)
      return type;
  auto &[kept, type] = types.emplace_back (arguments, 0);
  const GTypeInfo info{.class_size = sizeof (ParamsClass),
      .class_init = class_init,
      .class_data = &kept,
      .instance_size = sizeof (ParamsObject)};
  const std::string name = "GstClProgramParams" + std::to_string (types.size ());
  type = g_type_register_static (GST_TYPE_OBJECT, name.c_str (), &info, GTypeFlags (0));
  return type;
}

}  // namespace

GstObject *
ParamsChild::ref () const
{
  GST_OBJECT_LOCK (owner);
  GstObject *params = object ? GST_OBJECT (gst_object_ref (object)) : nullptr;
  GST_OBJECT_UNLOCK (owner);
  return params;
}

void
ParamsChild::announce (const std::vector<ProgramArgument> &arguments)
{
  const std::vector<ProgramArgument> properties = usable (arguments);
  g_autoptr (GstObject) known = ref ();
  if (known ? child_arguments (known) == properties : properties.empty ())
    return;
  auto *params = static_cast<GstObject *> (g_object_new (type_for (properties), "name", "params", nullptr));
  g_weak_ref_init (owner_of (params), owner);
  reinterpret_cast<ParamsObject *> (params)->setting = &setting;
  gst_object_ref_sink (params);
  GST_OBJECT_LOCK (owner);
  g_autoptr (GstObject) old = std::exchange (object, params);
  GST_OBJECT_UNLOCK (owner);
  if (old)
    gst_child_proxy_child_removed (GST_CHILD_PROXY (owner), G_OBJECT (old), "params");
  gst_child_proxy_child_added (GST_CHILD_PROXY (owner), G_OBJECT (params), "params");
}

}  // namespace gst::cl
