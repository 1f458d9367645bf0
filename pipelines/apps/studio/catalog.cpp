/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "catalog.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string_view>

namespace studio {

namespace {

constexpr const char *plugin = "cl";

using Features = std::unique_ptr<GList, Releases<gst_plugin_feature_list_free>>;

/* Whether it has one sink pad and one source pad that are always present; it may have more on request. */
bool
has_one_input (GstElementFactory *factory)
{
  int sinks = 0, sources = 0;
  for (const GList *i = gst_element_factory_get_static_pad_templates (factory); i; i = i->next) {
    const auto *pad = static_cast<const GstStaticPadTemplate *> (i->data);
    if (pad->presence == GST_PAD_ALWAYS)
      ++(pad->direction == GST_PAD_SINK ? sinks : sources);
  }
  return sinks == 1 && sources == 1;
}

bool
is_filter_factory (GstElementFactory *factory)
{
  const char *owner = gst_plugin_feature_get_plugin_name (GST_PLUGIN_FEATURE (factory));
  const char *klass = gst_element_factory_get_metadata (factory, GST_ELEMENT_METADATA_KLASS);
  if (!owner || !klass || std::strcmp (owner, plugin) != 0)
    return false;
  return (std::strstr (klass, "Filter/Effect") || std::strstr (klass, "Filter/Analyzer")) && has_one_input (factory);
}

bool
contains (const auto &names, std::string_view name)
{
  return std::ranges::find (names, name) != names.end ();
}

}  // namespace

std::vector<FilterKind>
filter_kinds ()
{
  const Features features (gst_registry_get_feature_list_by_plugin (gst_registry_get (), plugin));
  std::vector<FilterKind> kinds;
  for (const GList *i = features.get (); i; i = i->next) {
    if (!GST_IS_ELEMENT_FACTORY (i->data) || !is_filter_factory (GST_ELEMENT_FACTORY (i->data)))
      continue;
    GstElementFactory *factory = GST_ELEMENT_FACTORY (i->data);
    const auto said = [factory] (const char *key) { return gst_element_factory_get_metadata (factory, key); };
    kinds.push_back (
        {GST_OBJECT_NAME (factory), said (GST_ELEMENT_METADATA_LONGNAME), said (GST_ELEMENT_METADATA_DESCRIPTION)});
  }
  std::ranges::sort (kinds, {}, &FilterKind::name);
  return kinds;
}

bool
is_filter (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  return factory && is_filter_factory (factory);
}

Group
group_of (const GParamSpec *spec)
{
  constexpr std::array common{std::string_view ("mix"), std::string_view ("planes"), std::string_view ("border"),
      std::string_view ("border-value"), std::string_view ("device"), std::string_view ("interop"), std::string_view ("qos")};
  constexpr std::array<std::string_view, 5> hidden{"name", "parent", "profile", "stats", "roi-list"};
  const std::string_view name = g_param_spec_get_name (const_cast<GParamSpec *> (spec));
  const bool settable = (spec->flags & G_PARAM_READWRITE) == G_PARAM_READWRITE && !(spec->flags & G_PARAM_CONSTRUCT_ONLY);
  if (!settable || (spec->flags & G_PARAM_DEPRECATED) || contains (hidden, name))
    return Group::hidden;
  return contains (common, name) || name.starts_with ("roi-") ? Group::common : Group::own;
}

std::vector<GParamSpec *>
properties_of (GObject *object, Group group)
{
  guint n = 0;
  const std::unique_ptr<GParamSpec *, Releases<g_free>> specs (
      g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n));
  std::vector<GParamSpec *> found;
  std::copy_if (specs.get (), specs.get () + n, std::back_inserter (found),
      [group] (const GParamSpec *spec) { return group_of (spec) == group; });
  return found;
}

std::vector<Choice>
choices_of (const GParamSpec *spec)
{
  std::vector<Choice> choices;
  const auto add = [&choices] (const auto *known) {
    for (guint i = 0; i < known->n_values; i++)
      choices.push_back ({known->values[i].value_nick, known->values[i].value_name});
  };
  if (G_IS_PARAM_SPEC_ENUM (spec))
    add (G_PARAM_SPEC_ENUM (spec)->enum_class);
  else if (G_IS_PARAM_SPEC_FLAGS (spec))
    add (G_PARAM_SPEC_FLAGS (spec)->flags_class);
  return choices;
}

std::vector<Choice>
test_patterns ()
{
  const Ref<GstElement> source (gst_element_factory_make ("videotestsrc", nullptr));
  return !source ? std::vector<Choice> () : choices_of (spec_of (source.get (), "pattern"));
}

std::vector<Choice>
cameras ()
{
  const Ref<GstDeviceMonitor> monitor = Ref<GstDeviceMonitor>::take (gst_device_monitor_new ());
  gst_device_monitor_add_filter (monitor.get (), "Video/Source", nullptr);
  GList *devices = gst_device_monitor_get_devices (monitor.get ());
  std::vector<Choice> found;
  for (GList *i = devices; i; i = i->next) {
    GstDevice *device = GST_DEVICE (i->data);
    const Ref<GstElement> element (gst_device_create_element (device, nullptr));
    if (element && kind_of (element.get ()) == "v4l2src")
      found.push_back ({text_property (element.get (), "device"), text_of (gst_device_get_display_name (device))});
  }
  g_list_free_full (devices, gst_object_unref);
  return found;
}

std::vector<std::string>
presets_of (GstElement *filter)
{
  const Strings names (GST_IS_PRESET (filter) ? gst_preset_get_preset_names (GST_PRESET (filter)) : nullptr);
  return list_of (names.get ());
}

void
change_preset (
    GstElement *filter, const std::string &name, gboolean (*change) (GstPreset *, const gchar *), const char *changed)
{
  ensure (change (GST_PRESET (filter), name.c_str ()), "The preset " + name + " cannot be " + changed
                                                           + "; presets are files in " + g_get_user_data_dir ()
                                                           + "/gstreamer-1.0/presets");
}

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
  /* GLib compares structures by their address */
  if (GST_VALUE_HOLDS_STRUCTURE (value.get ()) && g_value_get_boxed (value.get ()) && g_value_get_boxed (usual.get ()))
    return gst_structure_is_equal (gst_value_get_structure (value.get ()), gst_value_get_structure (usual.get ()));
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
    if (!gst_structure_n_fields (gst_value_get_structure (value.get ())))
      return "";
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
  /* a null structure has no text */
  if (text.empty () && G_VALUE_HOLDS_BOXED (value.get ()))
    return;
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
