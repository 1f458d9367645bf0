/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "presets.hpp"

namespace studio {

namespace {

void
check (bool done, const char *what, const std::string &name)
{
  ensure (done, "The preset " + name + " cannot be " + what + "; presets are files in " + g_get_user_data_dir ()
                    + "/gstreamer-1.0/presets");
}

}  // namespace

std::vector<std::string>
presets_of (GstElement *filter)
{
  const Strings names (GST_IS_PRESET (filter) ? gst_preset_get_preset_names (GST_PRESET (filter)) : nullptr);
  return list_of (names.get ());
}

void
load_preset (Model &model, GstElement *filter, const std::string &name)
{
  model.about_to_change ();
  check (gst_preset_load_preset (GST_PRESET (filter), name.c_str ()), "loaded", name);
  model.touched ();
}

void
save_preset (GstElement *filter, const std::string &name)
{
  check (gst_preset_save_preset (GST_PRESET (filter), name.c_str ()), "saved", name);
}

void
delete_preset (GstElement *filter, const std::string &name)
{
  check (gst_preset_delete_preset (GST_PRESET (filter), name.c_str ()), "deleted", name);
}

}  // namespace studio
