/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/child.hpp"

#include <map>
#include <mutex>

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
  /* by property id less one; lives as long as the process, as types do */
  const std::vector<ProgramArgument> *arguments;
};

/* Handlers of notify::params may set another field. */
std::recursive_mutex mutex;

const std::vector<ProgramArgument> &
child_arguments (gpointer object)
{
  return *G_TYPE_INSTANCE_GET_CLASS (object, 0, ParamsClass)->arguments;
}

/* No other field may be set between reading the structure and setting it. */
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
  gst_structure_set_value (fields, child_arguments (object)[id - 1].name.c_str (), value);
  g_object_set (owner, "params", fields, nullptr);
}

void
get_property (GObject *object, guint id, GValue *value, GParamSpec *)
{
  g_autoptr (GObject) owner = static_cast<GObject *> (g_weak_ref_get (owner_of (object)));
  if (!owner)
    return;
  g_autoptr (GstStructure) fields = nullptr;
  g_object_get (owner, "params", &fields, nullptr);
  const GValue *field = fields ? gst_structure_get_value (fields, child_arguments (object)[id - 1].name.c_str ()) : nullptr;
  if (field && g_value_type_transformable (G_VALUE_TYPE (field), G_VALUE_TYPE (value)))
    g_value_transform (field, value);
}

void
finalize (GObject *object)
{
  g_weak_ref_clear (owner_of (object));
  G_OBJECT_CLASS (g_type_class_peek_static (GST_TYPE_OBJECT))->finalize (object);
}

GParamSpec *
make_spec (const ProgramArgument &argument)
{
  constexpr auto flags = GParamFlags (G_PARAM_READWRITE | GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING);
  const char *name = argument.name.c_str ();
  const std::string blurb = "The kernel's argument " + argument.name;
  if (argument.type == "int")
    return g_param_spec_int (name, name, blurb.c_str (), G_MININT, G_MAXINT, 0, flags);
  if (argument.type == "uint" || argument.type == "unsigned int")
    return g_param_spec_uint (name, name, blurb.c_str (), 0, G_MAXUINT, 0, flags);
  return g_param_spec_double (name, name, blurb.c_str (), -G_MAXDOUBLE, G_MAXDOUBLE, 0, flags);
}

void
class_init (gpointer klass, gpointer data)
{
  static_cast<ParamsClass *> (klass)->arguments = static_cast<const std::vector<ProgramArgument> *> (data);
  GObjectClass *object = G_OBJECT_CLASS (klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  guint id = 1;
  for (const ProgramArgument &argument : *static_cast<const std::vector<ProgramArgument> *> (data))
    g_object_class_install_property (object, id++, make_spec (argument));
}

/* Those that can be properties. */
std::vector<ProgramArgument>
scalars_of (const std::vector<ProgramArgument> &arguments)
{
  std::vector<ProgramArgument> scalars;
  for (const ProgramArgument &argument : arguments)
    if (!g_ascii_isdigit (argument.type.back ()) && g_ascii_isalpha (argument.name[0]) && argument.name != "name"
        && argument.name != "parent")
      scalars.push_back (argument);
  return scalars;
}

/* One type for each list of arguments. */
GType
type_for (const std::vector<ProgramArgument> &scalars)
{
  static std::map<std::string, GType> types;
  std::string key;
  for (const ProgramArgument &argument : scalars)
    key += argument.type + " " + argument.name + ";";
  const std::lock_guard lock (mutex);
  GType &type = types[key];
  if (type)
    return type;
  GTypeInfo info{};
  info.class_size = sizeof (ParamsClass);
  info.class_init = class_init;
  info.class_data = new std::vector (scalars);
  info.instance_size = sizeof (ParamsObject);
  const std::string name = "GstClProgramParams" + std::to_string (types.size ());
  type = g_type_register_static (GST_TYPE_OBJECT, name.c_str (), &info, GTypeFlags (0));
  return type;
}

}  // namespace

namespace gst::cl {

GstObject *
make_params_object (GstElement *owner, const std::vector<ProgramArgument> &arguments)
{
  auto *object = static_cast<GstObject *> (g_object_new (type_for (scalars_of (arguments)), "name", "params", nullptr));
  g_weak_ref_init (owner_of (object), owner);
  return object;
}

bool
fits_arguments (GstObject *object, const std::vector<ProgramArgument> &arguments)
{
  return child_arguments (object) == scalars_of (arguments);
}

}  // namespace gst::cl
