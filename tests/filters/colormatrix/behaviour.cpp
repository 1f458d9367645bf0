/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clcolormatrix: invalid strings, changes while playing, colorimetry of caps, and ties of the intensity. */
#include "../../elements/filtercase.hpp"
#include "../../elements/pipeline.hpp"
#include "reference.hpp"

namespace test::colormatrix_suite {

static Tests tests ("colormatrix", Needs::Device);

static Case
case_of (GstVideoFormat format, const std::string &properties)
{
  return test::case_of ("clcolormatrix " + properties, format, 64, 33);
}

static bool
same_colors (const ref::Picture &a, const ref::Picture &b)
{
  bool same = true;
  for (const char name : {'r', 'g', 'b', 'a'})
    same = same && a.find (name)->value == b.find (name)->value;
  return same;
}

/* Planes of green, blue and red are treated as pixels in this order. */
TEST (planar)
{
  const ref::ColorMatrix turn{"", {{0, 1, 0, 0}, {0, 0, 1, 0}, {1, 0, 0, 0}}};
  for (const GstVideoFormat format : {GST_VIDEO_FORMAT_GBR, GST_VIDEO_FORMAT_GBRA, GST_VIDEO_FORMAT_GBR_10LE}) {
    const Case c = case_of (format, "matrix=\"0 1 0 0; 0 0 1 0; 1 0 0 0\"");
    const ref::Picture in = noise_for (c, 1);
    Link link = open (c);
    const ref::Picture out = filtered (c, link, in), expected = ref::color_matrix (in, turn);
    for (const char name : {'r', 'g', 'b'})
      fail_unless (
          out.find (name)->value == expected.find (name)->value, "%c of %s", name, gst_video_format_to_string (format));
  }
}

/* An invalid string leaves the old one in effect; with "" the preset applies. */
TEST (live)
{
  const Case c = case_of (GST_VIDEO_FORMAT_RGBA, "matrix=\"0 0 1 0; 0 1 0 0; 1 0 0 0\"");
  const ref::Picture in = noise_for (c, 1);
  const ref::ColorMatrix swap{"", {{0, 0, 1, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}}}, invert{"invert", {}};
  Link link = open (c);
  fail_unless (same_colors (filtered (c, link, in), ref::color_matrix (in, swap)));
  for (const char *text : {"1 0 0 0", "1 0 0 0; 0 1 0 0; 0 0 1", "1 0 0 0; 0 1 0 0; 0 0 1 x", ";"}) {
    link.set ("clcolormatrix", "matrix", text);
    fail_unless (same_colors (filtered (c, link, in), ref::color_matrix (in, swap)), "after \"%s\"", text);
  }
  const guint64 builds = stat (link.element ("clcolormatrix"), "builds");
  link.set ("clcolormatrix", "preset", "invert");
  fail_unless (same_colors (filtered (c, link, in), ref::color_matrix (in, swap)), "the matrix wins");
  link.set ("clcolormatrix", "matrix", "");
  fail_unless (same_colors (filtered (c, link, in), ref::color_matrix (in, invert)), "the preset");
  link.set ("clcolormatrix", "preset", "none");
  fail_unless (same_colors (filtered (c, link, in), in), "neither");
  fail_unless (stat (link.element ("clcolormatrix"), "builds") == builds, "matrices cause builds");
}

/* Colours whose intensity is halfway between integers round to even. */
TEST (ties)
{
  for (const GstVideoFormat format : {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_RGBA64_LE}) {
    const Case c = case_of (format, "preset=grayscale");
    ref::Picture in = ref::make_picture (format, c.width, c.height);
    Random random (60000);
    size_t n = 0;
    while (n < in.components[0].value.size ()) {
      const int r = random.between (0, in.max ()), g = random.between (0, in.max ());
      const int b = random.between (0, in.max ());
      if ((30 * r + 59 * g + 11 * b) % 100 != 50)
        continue;
      in.components[0].value[n] = r;
      in.components[1].value[n] = g;
      in.components[2].value[n++] = b;
    }
    Link link = open (c);
    expect_same (
        filtered (c, link, in), ref::color_matrix (in, {"grayscale", {}}), gst_video_format_to_string (format), 0, "a");
  }
}

/* Matrix and range of YUV come from the caps, or are GStreamer's defaults for the size; `range` can override the range while
 * playing. */
TEST (colorimetry)
{
  const struct {
    const char *name;
    bool full;
    double red, blue;
  } colors[] = {{"bt709", false, .2126, .0722}, {"1:4:7:1", true, .299, .114}, {"bt2020", false, .2627, .0593},
      {"", false, .299, .114}, {"0:0:0:0", false, .299, .114}};
  for (const GstVideoFormat format : {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12})
    for (const auto &[name, full, red, blue] : colors) {
      Case c = case_of (format, "preset=sepia");
      c.colorimetry = name;
      c.settings.yuv_tolerance = 1;
      Link link = open (c);
      for (const bool forced : {false, true}) {
        const ref::ColorMatrix set{"sepia", {}, full || forced, red, blue};
        c.settings.filter = [set] (const ref::Picture &p, const ref::Scene &) { return ref::color_matrix (p, set); };
        if (forced)
          gst_util_set_object_arg (G_OBJECT (link.element ("clcolormatrix")), "range", "full");
        filter_and_check (c, link, forced, name);
      }
    }
}

/* Gray that caps call limited goes from 16 to 235. */
TEST (limited_gray)
{
  Case c = case_of (GST_VIDEO_FORMAT_GRAY8, "preset=invert");
  c.colorimetry = "2:4:7:1";
  const ref::Picture in = noise_for (c, 1);
  Link link = open (c);
  for (const int sum : {16 + 235, 255}) {
    const ref::Picture out = filtered (c, link, in);
    for (size_t i = 0; i < in.components[0].value.size (); i++) {
      const int v = in.components[0].value[i];
      test_check (out.components[0].value[i] == std::clamp (sum - v, 0, 255), "%d became %d", v, out.components[0].value[i]);
    }
    gst_util_set_object_arg (G_OBJECT (link.element ("clcolormatrix")), "range", "full");
  }
}

/* Presets look the same in YUV as in RGB: gray has no colour, and a negative's negative is the picture. */
TEST (presets_on_yuv)
{
  const Case c = case_of (GST_VIDEO_FORMAT_I420, "preset=grayscale");
  const ref::Picture in = noise_for (c, 1);
  Link link = open (c);
  const ref::Picture gray = filtered (c, link, in);
  for (const char name : {'u', 'v'})
    for (const int v : gray.find (name)->value)
      test_check (v == 128, "gray has chroma %d", v);
  const guint64 builds = stat (link.element ("clcolormatrix"), "builds");
  gst_util_set_object_arg (G_OBJECT (link.element ("clcolormatrix")), "preset", "invert");
  const ref::Picture negative = filtered (c, link, in);
  for (const ref::Component &component : negative.components) {
    const int sum = component.name == 'y' ? 16 + 235 : 256;
    for (size_t i = 0; i < component.value.size (); i++) {
      const int v = in.find (component.name)->value[i];
      test_check (component.value[i] == std::clamp (sum - v, 0, 255), "%c %d became %d", component.name, v, component.value[i]);
    }
  }
  fail_unless (stat (link.element ("clcolormatrix"), "builds") == builds, "matrices cause builds");
}

TEST (bad_strings)
{
  expect_refusal ("clcolormatrix", "matrix", "1 0 0 zero; 0 1 0 0; 0 0 1 0", {"zero"});
}

}  // namespace test::colormatrix_suite
