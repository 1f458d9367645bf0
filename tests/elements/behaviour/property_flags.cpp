/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the flags of properties promise: controllers, and the states in which a change takes effect. */
#include <cstring>

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>

#include "../pipeline.hpp"

using namespace test;

/* Whatever is flagged as controllable is of a type that control bindings take; a direct one of another is a CRITICAL. */
GST_START_TEST (controllable_types)
{
  GList *features = gst_registry_get_feature_list_by_plugin (gst_registry_get (), "cl");
  int n_controllable = 0;
  for (GList *at = features; at; at = at->next) {
    GstElement *element = gst_element_factory_create (GST_ELEMENT_FACTORY (at->data), nullptr);
    guint n_specs = 0;
    GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n_specs);
    for (guint i = 0; i < n_specs; i++) {
      if (!(specs[i]->flags & GST_PARAM_CONTROLLABLE))
        continue;
      n_controllable++;
      GstControlSource *source = gst_interpolation_control_source_new ();
      gst_object_add_control_binding (
          GST_OBJECT (element), gst_direct_control_binding_new (GST_OBJECT (element), specs[i]->name, source));
      gst_object_unref (source);
    }
    g_free (specs);
    gst_object_unref (element);
  }
  gst_plugin_feature_list_free (features);
  fail_unless (n_controllable > 0);
}

GST_END_TEST;

static int n_device_warnings;

static void
count_device_warnings (GstDebugCategory *, GstDebugLevel level, const gchar *, const gchar *, gint, GObject *object,
    GstDebugMessage *message, gpointer element)
{
  if (level == GST_LEVEL_WARNING && object == element && strstr (gst_debug_message_get (message), "device="))
    n_device_warnings++;
}

/* A device that is set too late is warned of, and taken the next time. */
GST_START_TEST (late_device)
{
  Pipeline pipeline ("videotestsrc ! video/x-raw,format=GRAY8,width=33,height=17 ! clthreshold name=f ! fakesink");
  GstElement *element = pipeline.element ("f");
  gst_debug_set_default_threshold (GST_LEVEL_WARNING);
  gst_debug_add_log_function (count_device_warnings, element, nullptr);
  g_object_set (element, "device", "0:0", nullptr);
  pipeline.must_reach (GST_STATE_PLAYING);
  g_object_set (element, "device", "0:0", nullptr);
  ck_assert_int_eq (n_device_warnings, 0);
  g_object_set (element, "device", "nonesuch", nullptr);
  ck_assert_int_eq (n_device_warnings, 1);
  fail_unless (pipeline.errors ().empty ());
  pipeline.must_reach (GST_STATE_READY);
  fail_unless (!pipeline.reach (GST_STATE_PLAYING));
  expect_one_error (pipeline.errors (), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, {"nonesuch"});
  gst_debug_remove_log_function (count_device_warnings);
}

GST_END_TEST;

static const Program main_program ("property_flags", Needs::Device, [] (Suite *suite) {
  TCase *group = add_group (suite, "property_flags");
  add_loop (group, "controllable_types", controllable_types, 1);
  add_loop (group, "late_device", late_device, 1);
});
