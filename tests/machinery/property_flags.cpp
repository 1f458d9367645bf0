/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flags and enums of properties: controllers, the states in which a change takes effect, and nicks. */
#include <sstream>

#include "../elements/pipeline.hpp"
#include "scalars.hpp"

namespace test::property_flags_suite {

static Tests tests ("property_flags", Needs::Device);

static void
expect_value (GstElement *element, GParamSpec *spec, const GValue *wanted, const char *what)
{
  GValue value = G_VALUE_INIT;
  g_object_get_property (G_OBJECT (element), spec->name, &value);
  test_check (
      g_param_values_cmp (spec, &value, wanted) == 0, "%s::%s is not %s", G_OBJECT_TYPE_NAME (element), spec->name, what);
  g_value_unset (&value);
}

/* A direct binding of a type that it does not support logs a CRITICAL. */
static void
check_scalar (GstElement *element, GParamSpec *spec)
{
  test_check (spec->flags & GST_PARAM_CONTROLLABLE, "%s::%s is not controllable", G_OBJECT_TYPE_NAME (element), spec->name);
  expect_value (element, spec, g_param_spec_get_default_value (spec), "its default");
  GValue last = last_value (spec);
  g_object_set_property (G_OBJECT (element), spec->name, &last);
  expect_value (element, spec, &last, "what was set");
  const Own source = gst_interpolation_control_source_new ();
  gst_object_add_control_binding (
      GST_OBJECT (element), gst_direct_control_binding_new (GST_OBJECT (element), spec->name, source));
}

/* What every property of every element keeps; their pages promise types, ranges and defaults (tests/docs). */
TEST (every_property)
{
  const std::vector<std::string> names = element_names ();
  for (const std::string &name : names) {
    const Own element = gst_element_factory_make (name.c_str (), nullptr);
    each_property (element, [&] (GParamSpec *spec) {
      const char *blurb = g_param_spec_get_blurb (spec);
      test_check (blurb && *blurb && spec->flags & G_PARAM_READABLE, "%s::%s has no description or cannot be read",
          G_OBJECT_TYPE_NAME (element), spec->name);
      if (spec->flags & G_PARAM_WRITABLE && is_scalar (spec))
        check_scalar (element, spec);
    });
  }
  ck_assert (!names.empty ());
}

static int n_device_warnings;

static void
count_device_warnings (GstDebugCategory *, GstDebugLevel level, const gchar *, const gchar *, gint, GObject *object,
    GstDebugMessage *message, gpointer element)
{
  if (level == GST_LEVEL_WARNING && object == element && strstr (gst_debug_message_get (message), "device="))
    n_device_warnings++;
}

/* Setting the device too late gives a warning, and takes effect at the next start. */
TEST (late_device)
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

/* Values that the pages do not show, because they are former names of others. */
TEST (former_nicks)
{
  static const struct {
    const char *element, *name, *nicks;
  } enums[] = {
      {"clemboss", "domain", "color gray"}, {"clequalize", "domain", "luma"}, {"clmedian", "gl-interop", "auto staged"}};
  for (const auto &e : enums) {
    const Own element = gst_element_factory_make (e.element, nullptr);
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), e.name);
    test_check (spec && G_IS_PARAM_SPEC_ENUM (spec), "%s::%s is no enum", e.element, e.name);
    std::istringstream nicks (e.nicks);
    for (std::string nick; nicks >> nick;)
      test_check (g_enum_get_value_by_nick (G_PARAM_SPEC_ENUM (spec)->enum_class, nick.c_str ()), "%s::%s has no %s", e.element,
          e.name, nick.c_str ());
  }
}

}  // namespace test::property_flags_suite
