/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flags and enums of properties: controllers, the states in which a change takes effect, and nicks. */
#include <cstring>

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>

#include "../elements/pipeline.hpp"

namespace test::property_flags_suite {

static Tests tests ("property_flags", Needs::Device);

/* Controllable properties have types that control bindings support; a direct binding of another type logs a CRITICAL. */
TEST (controllable_types)
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

TEST (enum_nicks)
{
  static const struct {
    const char *element, *name, *nicks;
  } enums[] = {
      {"clmedian", "border", "replicate reflect reflect101 wrap constant"},
      {"clmedian", "roi-source", "static meta"},
      {"clmedian", "interop", "auto sharing external staged require cuda dmabuf"},
      {"clmedian", "gl-interop", "auto sharing external staged require cuda dmabuf"},
      {"clconvolve", "preset", "identity edge sharpen emboss gaussian3 gaussian5 box3 box5 laplacian4 laplacian8"},
      {"clbilateral", "distance", "intensity per-component color"},
      {"clbilateral", "window", "square circle"},
      {"clbilateral", "method", "exact grid"},
      {"clblur", "type", "gaussian box"},
      {"clsharpen", "method", "unsharp laplacian"},
      {"clemboss", "domain", "per-component intensity color gray"},
      {"clsobel", "output", "magnitude l1 x y"},
      {"clsobel", "domain", "auto per-component intensity"},
      {"clerode", "shape", "rect cross ellipse"},
      {"clmorphology", "operation", "open close gradient tophat blackhat erode dilate"},
      {"cldeblock", "block-size", "4 8 16 32"},
      {"cldeinterlace", "method", "bwdif yadif linear weave motion"},
      {"cldeinterlace", "fields", "all top bottom auto"},
      {"cldeinterlace", "mode", "auto always"},
      {"clcolormatrix", "preset", "none grayscale sepia invert"},
      {"clflip", "video-direction", "identity 90r 180 90l horiz vert ul-lr ur-ll auto custom"},
      {"cllut3d", "interpolation", "tetrahedral trilinear"},
      {"cltonemap", "algorithm", "bt2390 hable mobius reinhard linear clip"},
      {"cltonemap", "target", "sdr caps"},
      {"cltonemap", "gamut", "relative desaturate clip"},
      {"clwarp", "interpolation", "nearest bilinear bicubic lanczos"},
      {"clthreshold", "method", "fixed otsu mean"},
      {"clthreshold", "type", "binary binary-inv trunc tozero tozero-inv"},
      {"clthreshold", "domain", "intensity per-component"},
      {"clequalize", "method", "global clahe"},
      {"clequalize", "domain", "intensity per-component luma"},
      {"clnoise", "type", "gaussian uniform salt-pepper speckle"},
      {"clpixelate", "anchor", "frame region"},
      {"clhistogram", "display", "none overlay"},
      {"cllevels", "range", "auto full"},
      {"clframerate", "method", "motion blend repeat"},
      {"clmotion", "block-size", "8 16 32"},
      {"clmotion", "precision", "pixel half quarter"},
      {"clmotion", "direction", "backward forward both"},
      {"clmotion", "overlay", "none vectors confidence"},
      {"cltemporal", "method", "average median recursive motion"},
      {"clcompositor", "background", "checker black white transparent"},
      {"clblend", "mode", "add average difference multiply lighten darken"},
  };
  for (const auto &e : enums) {
    GstElement *element = gst_element_factory_make (e.element, nullptr);
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), e.name);
    test_check (spec && G_IS_PARAM_SPEC_ENUM (spec), "%s::%s is no enum", e.element, e.name);
    char **nicks = g_strsplit (e.nicks, " ", 0);
    for (char **nick = nicks; *nick; nick++)
      test_check (
          g_enum_get_value_by_nick (G_PARAM_SPEC_ENUM (spec)->enum_class, *nick), "%s::%s has no %s", e.element, e.name, *nick);
    g_strfreev (nicks);
    gst_object_unref (element);
  }
}

}  // namespace test::property_flags_suite
