/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Documented properties of elements: live changes, controllers, neutral values, invalid text. */

#include <sstream>

#include "../elements/filtercase.hpp"
#include "../elements/pipeline.hpp"

namespace test::properties_suite {

static Tests tests ("properties", Needs::DeviceOrGL);

/* A case of one frame whose settings are given later. */
static Case
plain_case (const char *element)
{
  Case c = case_of (element, GST_VIDEO_FORMAT_RGBA, 33, 17);
  c.frames = {{Content::Noise, Storage::Tight}};
  return c;
}

/* Sets NAME=VALUE pairs, separated by blanks. */
static void
set_all (GstElement *element, const std::string &properties)
{
  std::istringstream pairs (properties);
  for (std::string name, value; std::getline (pairs, name, '=') && std::getline (pairs, value, ' ');)
    gst_util_set_object_arg (G_OBJECT (element), name.c_str (), value.c_str ());
}

static int
caps_events (Link &link)
{
  int count = 0;
  while (const Own event = gst_harness_try_pull_event (link.harness ()))
    count += GST_EVENT_TYPE (event.get ()) == GST_EVENT_CAPS;
  return count;
}

static std::vector<Settings>
scalar_steps (int filter)
{
  std::vector<Settings> steps;
  for (const double v : {0.5, 0.0, 0.25})
    if (filter == 0)
      steps.push_back (settings_for (
          ref::Convolve{ref::preset ("gaussian3"), 20, v - 0.25}, format ("preset=gaussian3 divisor=20 bias=%g", v - 0.25)));
    else if (filter == 1)
      steps.push_back (settings_for (ref::Median{1, -1, v, 0.25}, format ("radius=1 percentile=%g threshold=0.25", v)));
    else
      steps.push_back (
          settings_for (ref::Bilateral{1.5, v + 0.05, 2}, format ("sigma-space=1.5 sigma-range=%g radius=2", v + 0.05)));
  return steps;
}

/* Scalars that change between frames: each frame uses its own, without renegotiation and without a new program. */
static const char *filters[] = {"clconvolve", "clmedian", "clbilateral"};

TEST (live_scalars, 3)
{
  const std::vector<Settings> steps = scalar_steps (__i__);
  Case c = plain_case (filters[__i__]);
  c.settings = steps[0];
  Link link = open (c);
  GstElement *element = link.element (filters[__i__]);
  guint64 builds = 0;
  for (size_t i = 0; i < 4 * steps.size (); i++) {
    c.settings = steps[i % steps.size ()];
    set_all (element, c.settings.properties);
    filter_and_check (c, link, unsigned (i), "after setting " + c.settings.properties);
    /* kernels for GPUs differ by the alignment of rows */
    if (i + 1 == std::size (storages))
      builds = stat (element, "builds");
  }
  ck_assert_uint_eq (stat (element, "builds"), builds);
  ck_assert_int_eq (caps_events (link), 1);
}

/* Properties that need other programs also apply to the next frame, without renegotiation. */
TEST (live_windows)
{
  Case c = plain_case ("clmedian");
  c.settings = settings_for (ref::Median{1}, "radius=1");
  Link link = open (c);
  unsigned number = 1;
  for (const int radius : {1, 2, 4, 1, 3}) {
    const std::string properties = format ("radius=%d", radius);
    c.settings = settings_for (ref::Median{radius}, properties);
    link.set ("clmedian", "radius", std::to_string (radius));
    filter_and_check (c, link, number++, properties);
  }
  ck_assert_int_eq (caps_events (link), 1);
}

/* mix from 0 at 0 s to 1 at 1 s, by a GstController. */
TEST (controller)
{
  Case c = plain_case ("clmedian");
  c.settings = settings_for (ref::Median{1}, "radius=1");
  Link link = open (c);
  control (link.element ("clmedian"), "mix", {{0, 0}, {GST_SECOND, 1}});
  for (const int quarter : {0, 1, 2, 3, 4, 2, 0}) {
    c.common.mix = quarter / 4.0;
    const ref::Picture in = noise_for (c, unsigned (quarter));
    GstBuffer *buffer = timed (make_buffer (c, in, Storage::Tight), quarter * GST_SECOND / 4);
    filter_and_check (c, link, in, buffer, format ("at %d quarters of a second", quarter));
  }
}

static const char *neutral[] = {"clconvolve", "clconvolve matrix=1", "clconvolve matrix=\"0 0 0;0 1 0;0 0 0\"",
    "clconvolve preset=edge mix=0", "clconvolve preset=edge planes=0", "clmedian mix=0", "clmedian planes=0",
    "clbilateral sigma-space=0", "clbilateral sigma-range=0", "clbilateral mix=0"};

/* The same buffer comes out. */
TEST (neutral_values, G_N_ELEMENTS (neutral))
{
  Case c = plain_case ("clmedian");
  c.format = GST_VIDEO_FORMAT_P010_10LE; /* its padding bits do not change */
  c.common.mix = 0;
  Link link (neutral[__i__], in_caps_of (c));
  gst_harness_add_propose_allocation_meta (link.harness (), GST_VIDEO_META_API_TYPE, nullptr);
  fail_unless (gst_harness_push_upstream_event (link.harness (), gst_event_new_reconfigure ()));
  const ref::Picture in = noise_for (c, 4);
  const Own buffer = make_buffer (c, in, Storage::Odd);
  const Own result = link.filter (gst_buffer_ref (buffer));
  test_check (result == buffer, "%s copies its frames", neutral[__i__]);
  check_result (c, in, result, neutral[__i__]);
}

TEST (neutral_and_back)
{
  Case c = plain_case ("clconvolve");
  c.settings = settings_for (ref::Convolve{ref::preset ("edge")}, "preset=edge");
  Link link = open (c);
  unsigned number = 1;
  for (const double mix : {1.0, 0.0, 0.5, 0.9, 0.0, 1.0}) { /* doubles miss no tie at 0.9 */
    c.common.mix = mix;
    link.set ("clconvolve", "mix", format ("%g", mix));
    filter_and_check (c, link, number++, format ("mix=%g", mix));
  }
}

/* Texts that are not a matrix, and the token that the error must name. */
static const std::pair<const char *, const char *> bad_matrices[] = {{"1 2;3", "row 2"}, {"1 x 1", "x"},
    {"1 2 3;4 5 6abc", "6abc"}, {"nan 1", "nan"}, {"1 inf", "inf"}, {"1 1e999", "1e999"}, {"1 2;;3 4", ""}, {";", ""},
    {"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32", "32"}};

TEST (bad_matrix_keeps_the_old, G_N_ELEMENTS (bad_matrices))
{
  const char *bad = bad_matrices[__i__].first;
  const Own element = gst_element_factory_make ("clconvolve", nullptr);
  g_object_set (element, "matrix", "1 2 1;2 4 2;1 2 1", nullptr);
  g_object_set (element, "matrix", bad, nullptr);
  const std::string matrix = text_property (element.get (), "matrix");
  test_check (matrix == "1 2 1;2 4 2;1 2 1", "after \"%s\" the matrix is \"%s\"", bad, matrix.c_str ());
}

TEST (bad_matrix_while_playing, G_N_ELEMENTS (bad_matrices))
{
  Case c = plain_case ("clconvolve");
  c.settings = settings_for (ref::Convolve{{{1, 2, 1}}}, "matrix=\"1 2 1\"");
  Link link = open (c);
  count_warnings (link.bus ()); /* one says that frames in GL memory are copied */
  g_object_set (link.element ("clconvolve"), "matrix", bad_matrices[__i__].first, nullptr);
  ck_assert_int_eq (count_warnings (link.bus ()), 1);
  filter_and_check (c, link, 6, "after a bad matrix");
  fail_unless (link.errors ().empty ());
}

TEST (bad_matrix_never_valid, G_N_ELEMENTS (bad_matrices))
{
  const auto [bad, token] = bad_matrices[__i__];
  expect_refusal ("clconvolve", "matrix", bad, {token}, "1 2 1");
}

}  // namespace test::properties_suite
