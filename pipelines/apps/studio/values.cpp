/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "values.hpp"

#include <charconv>
#include <map>
#include <stdexcept>
#include <string_view>

namespace studio {

namespace {

/* The shortest text that parses to the same number. */
template <typename T>
std::string
shortest (T number)
{
  char text[64];
  const auto end = std::to_chars (text, text + sizeof text, number).ptr;
  return std::string (text, end);
}

bool
is_empty_string (const GValue *value)
{
  const char *text = G_VALUE_HOLDS_STRING (value) ? g_value_get_string (value) : "-";
  return !text || !*text;
}

constexpr std::string_view plain_characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,:/@%=";

bool
is_plain (const std::string &text)
{
  return !text.empty () && text.find_first_not_of (plain_characters) == std::string::npos;
}

}  // namespace

void
usual_value (Value &value, GObject *object, GParamSpec *spec)
{
  if (!GST_IS_ELEMENT (object)) {
    g_value_copy (g_param_spec_get_default_value (spec), value.get ());
    return;
  }
  static std::map<GType, Ref<GObject>> fresh;
  Ref<GObject> &model = fresh[G_OBJECT_TYPE (object)];
  if (!model)
    model = Ref<GObject> (G_OBJECT (g_object_new (G_OBJECT_TYPE (object), nullptr)));
  g_object_get_property (model.get (), spec->name, value.get ());
}

bool
is_default (GObject *object, GParamSpec *spec)
{
  Value value (spec->value_type), usual (spec->value_type);
  g_object_get_property (object, spec->name, value.get ());
  usual_value (usual, object, spec);
  if (is_empty_string (value.get ()) && is_empty_string (usual.get ()))
    return true;
  return g_param_values_cmp (spec, value.get (), usual.get ()) == 0;
}

std::string
value_text (GObject *object, GParamSpec *spec)
{
  Value value (spec->value_type);
  g_object_get_property (object, spec->name, value.get ());
  if (G_VALUE_HOLDS_DOUBLE (value.get ()))
    return shortest (g_value_get_double (value.get ()));
  if (G_VALUE_HOLDS_FLOAT (value.get ()))
    return shortest (g_value_get_float (value.get ()));
  if (G_VALUE_HOLDS_STRING (value.get ())) {
    const char *text = g_value_get_string (value.get ());
    const std::string_view plain = text ? text : "";
    /* GStreamer would parse the text's own quotes as its notation, and drop them */
    if (plain.size () < 2 || plain.front () != '"' || plain.back () != '"')
      return std::string (plain);
  }
  if (G_VALUE_HOLDS_BOXED (value.get ()) && !g_value_get_boxed (value.get ()))
    return "";
  if (GST_VALUE_HOLDS_STRUCTURE (value.get ())) {
    std::string text = text_of (gst_structure_to_string (gst_value_get_structure (value.get ())));
    return text.ends_with (';') ? text.substr (0, text.size () - 1) : text;
  }
  return text_of (gst_value_serialize (value.get ()));
}

std::pair<Ref<GObject>, GParamSpec *>
find_property (GstElement *element, const std::string &name)
{
  GObject *target = nullptr;
  GParamSpec *spec = nullptr;
  if (!GST_IS_CHILD_PROXY (element))
    return {Ref<GObject> (G_OBJECT (element)), spec_of (element, name.c_str ())};
  gst_child_proxy_lookup (GST_CHILD_PROXY (element), name.c_str (), &target, &spec);
  return {Ref<GObject>::take (target), spec};
}

void
parse (Value &value, GParamSpec *spec, const std::string &text)
{
  if (!gst_value_deserialize_with_pspec (value.get (), text.c_str (), spec))
    throw std::invalid_argument (
        std::string (spec->name) + " cannot be \"" + text + "\" (" + g_type_name (spec->value_type) + ")");
}

std::string
assignment (const std::string &name, const std::string &value)
{
  if (is_plain (value))
    return name + "=" + value;
  std::string quoted = name + "=\"";
  for (const char c : value) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string
shell_word (const std::string &word)
{
  return word == "!" || is_plain (word) ? word : text_of (g_shell_quote (word.c_str ()));
}

}  // namespace studio
