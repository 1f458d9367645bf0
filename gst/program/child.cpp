/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/child.hpp"

#include "filter/property.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <utility>

namespace {

using gst::cl::ProgramArgument;

struct ParamsObject {
  GstObject parent;
  /* the child may be kept for longer than the element exists */
  GWeakRef owner;
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

/* Recursive, because handlers of notify::params may set another field. */
std::recursive_mutex mutex;

const std::vector<ProgramArgument> &
child_arguments (gpointer object)
{
  return *G_TYPE_INSTANCE_GET_CLASS (object, 0, ParamsClass)->arguments;
}

/* Holds the lock, so that no other field is set between reading the structure and setting it. */
void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *)
{
  const std::lock_guard lock (mutex);
  g_autoptr (GObject) owner = static_cast<GObject *> (g_weak_ref_get (owner_of (object)));
  if (!owner)
    return;
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
  const std::string nick = gst::cl::nickname (words);
  const std::string blurb = argument.blurb.empty () ? "The kernel's argument " + argument.name : argument.blurb;
  const gst::cl::ParamType &type = *gst::cl::param_type (argument.type);
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
  std::erase_if (arguments, [] (const ProgramArgument &each) { return !gst::cl::can_be_property (each.name); });
  return arguments;
}

/* Registers one type for each list of arguments. */
GType
type_for (const std::vector<ProgramArgument> &arguments)
{
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

namespace gst::cl {

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
  gst_object_ref_sink (params);
  GST_OBJECT_LOCK (owner);
  g_autoptr (GstObject) old = std::exchange (object, params);
  GST_OBJECT_UNLOCK (owner);
  if (old)
    gst_child_proxy_child_removed (GST_CHILD_PROXY (owner), G_OBJECT (old), "params");
  gst_child_proxy_child_added (GST_CHILD_PROXY (owner), G_OBJECT (params), "params");
}

}  // namespace gst::cl
