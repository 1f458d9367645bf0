/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/settingstore.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace {

/* properties about where and how the filter runs, or that only observe it */
constexpr std::array<std::string_view, 5> skipped{"device", "interop", "profile", "qos", "stats"};

bool
is_kept (const GParamSpec *spec)
{
  const bool is_setting =
      (spec->flags & G_PARAM_READWRITE) == G_PARAM_READWRITE && !(spec->flags & (G_PARAM_CONSTRUCT_ONLY | G_PARAM_DEPRECATED));
  const bool is_basic = g_type_is_a (GST_TYPE_BIN, spec->owner_type);
  return is_setting && !is_basic && std::ranges::find (skipped, spec->name) == skipped.end ();
}

gchar **
property_names (GstPreset *preset)
{
  guint n = 0;
  GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (preset), &n);
  gchar **names = g_new0 (gchar *, n + 1);
  guint kept = 0;
  for (guint i = 0; i < n; i++)
    if (is_kept (specs[i]))
      names[kept++] = g_strdup (specs[i]->name);
  g_free (specs);
  return names;
}

/* The tag of a preset that holds values which GStreamer's format would lose: a structure of texts, by property. */
constexpr const char *tag = "cl-values";

/* GStreamer's implementation. */
gboolean (*save_plain) (GstPreset *, const gchar *);
gboolean (*load_plain) (GstPreset *, const gchar *);

/* GStreamer (1.26) escapes values when it saves but does not unescape them when it loads, so blanks, quotes and letters outside
 * ASCII change, or the value is missing. */
bool
is_lost (const gchar *text, GType type)
{
  constexpr const char *name = "x";
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_key_file_set_string (file, name, name, text);
  g_autofree gchar *read = g_key_file_get_value (file, name, name, nullptr);
  g_auto (GValue) value = G_VALUE_INIT;
  g_value_init (&value, type);
  g_autofree gchar *again = gst_value_deserialize (&value, read) ? gst_value_serialize (&value) : nullptr;
  return g_strcmp0 (again, text) != 0;
}

gboolean
save (GstPreset *preset, const gchar *name)
{
  g_autoptr (GstStructure) lost = gst_structure_new_empty (tag);
  g_auto (GStrv) names = property_names (preset);
  for (gchar **each = names; *each; each++) {
    g_auto (GValue) value = G_VALUE_INIT;
    g_value_init (&value, g_object_class_find_property (G_OBJECT_GET_CLASS (preset), *each)->value_type);
    g_object_get_property (G_OBJECT (preset), *each, &value);
    g_autofree gchar *text = gst_value_serialize (&value);
    if (text && is_lost (text, G_VALUE_TYPE (&value)))
      gst_structure_set (lost, *each, G_TYPE_STRING, text, nullptr);
  }
  g_autofree gchar *all = gst_structure_n_fields (lost) ? gst_structure_to_string (lost) : nullptr, *before = nullptr;
  gst_preset_get_meta (preset, name, tag, &before);
  return save_plain (preset, name) && (!(all || before) || gst_preset_set_meta (preset, name, tag, all));
}

/* Notification is frozen while values are set, so that frames see all of them together. */
gboolean
load (GstPreset *preset, const gchar *name)
{
  g_object_freeze_notify (G_OBJECT (preset));
  const gboolean loaded = load_plain (preset, name);
  g_autofree gchar *all = nullptr;
  gst_preset_get_meta (preset, name, tag, &all);
  g_autoptr (GstStructure) lost = all ? gst_structure_from_string (all, nullptr) : nullptr;
  g_auto (GStrv) names = property_names (preset);
  for (gchar **each = names; lost && *each; each++) {
    const gchar *text = gst_structure_get_string (lost, *each);
    g_auto (GValue) value = G_VALUE_INIT;
    g_value_init (&value, g_object_class_find_property (G_OBJECT_GET_CLASS (preset), *each)->value_type);
    if (text && gst_value_deserialize (&value, text))
      g_object_set_property (G_OBJECT (preset), *each, &value);
  }
  g_object_thaw_notify (G_OBJECT (preset));
  return loaded;
}

}  // namespace

void
gst_cl_preset_init (gpointer iface, gpointer)
{
  auto *preset = static_cast<GstPresetInterface *> (iface);
  preset->get_property_names = property_names;
  save_plain = std::exchange (preset->save_preset, save);
  load_plain = std::exchange (preset->load_preset, load);
}
