/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/vfuncs.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace {

/* what says where and how the filter runs, or only watches it */
constexpr std::array<std::string_view, 5> skipped{"device", "interop", "profile", "qos", "stats"};

bool
is_kept (const GParamSpec *spec)
{
  const bool is_setting =
      (spec->flags & G_PARAM_READWRITE) == G_PARAM_READWRITE && !(spec->flags & (G_PARAM_CONSTRUCT_ONLY | G_PARAM_DEPRECATED));
  const bool is_basic = g_type_is_a (GST_TYPE_ELEMENT, spec->owner_type);
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

}  // namespace

void
gst_cl_preset_init (gpointer iface, gpointer)
{
  static_cast<GstPresetInterface *> (iface)->get_property_names = property_names;
}
