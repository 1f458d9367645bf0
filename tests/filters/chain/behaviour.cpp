/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clchain: gives the same bytes as the elements in a row; its children. */
#include <gst/video/navigation.h>

#include "../../elements/filtercase.hpp"
#include "../../elements/pipeline.hpp"

namespace test::chain_suite {

static Tests tests ("chain", Needs::Device), written_tests ("chain_written", Needs::Device);

constexpr GstVideoFormat formats[] = {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_xBGR, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_RGBA64_LE};

static Case
case_of (GstVideoFormat format, int width = 150, int height = 41)
{
  return test::case_of ("clchain", format, width, height);
}

/* Compares the results of elements in a row and of a chain, including padding bits. */
static void
expect_same_bits (const ref::Picture &in_row, const ref::Picture &in_chain, const std::string &what)
{
  expect_same (in_chain, in_row, what);
  for (size_t n = 0; n < in_row.components.size (); n++)
    test_check (in_chain.components[n].spare == in_row.components[n].spare, "%s: %c has other padding bits", what.c_str (),
        in_row.components[n].name);
}

static void
compare_frame (const Case &c, Link &row, Link &chain, unsigned frame, const std::string &what)
{
  const ref::Picture in = noise_for (c, frame), expected = filtered (c, row, in, Storage::Padded);
  expect_same_bits (expected, filtered (c, chain, in, Storage::Padded), what);
}

/* Sends three frames through the chain and through its elements in a row. names: what `stats` shows, unless it is empty. */
static void
compare_with_row (const Case &c, const std::string &filters, const std::string &names = "")
{
  const std::string what =
      std::string (gst_video_format_to_string (c.format)) + (c.common.interlaced ? " interlaced: " : ": ") + filters;
  g_print ("%s\n", what.c_str ());
  Case result = c;
  result.colorimetry.clear ();
  Link row (filters, in_caps_of (c), out_caps_of (result)), chain (chain_of (filters), in_caps_of (c), out_caps_of (result));
  for (unsigned frame = 0; frame < 3; frame++)
    compare_frame (c, row, chain, frame, what);
  if (names.empty ())
    return;
  compare_frame (c, row, chain, 0, what);
  const std::string algorithm = stat_text (chain.element ("clchain"), "algorithm");
  test_check (algorithm == names, "%s: %s", what.c_str (), algorithm.c_str ());
}

static std::string
random_point (Random &random)
{
  switch (random.between (0, 3)) {
    case 0:
      return random.pick ({"clcolormatrix preset=grayscale", "clcolormatrix preset=sepia", "clcolormatrix preset=invert",
          "clcolormatrix matrix=\"0 0 1 .1; .5 .25 .25 -.05; 1 -1 1 0\"",
          "clcolormatrix matrix=\"3000 .1 0 .1; 1 2 3 4; .3 .3 .3333 0\""});
    case 1:
      return format ("clthreshold threshold=%.17g type=%s domain=%s", random.steps (0, 1, 16),
          random.pick ({"binary", "binary-inv", "trunc", "tozero", "tozero-inv"}),
          random.pick ({"intensity", "per-component"}));
    case 2:
      return format ("cladjust exposure=%.17g saturation=%.17g", random.steps (-1, 1, 4), random.steps (0, 2, 4));
    default:
      return format ("cllevels black=%.17g white=%.17g gamma=%.17g", random.steps (0, .4, 8), random.steps (.5, 1, 8),
          random.steps (.5, 2, 6));
  }
}

static std::string
random_other (Random &random)
{
  switch (random.between (0, 6)) {
    case 0:
    case 1:
      return format ("%s radius=%d radius-y=%d iterations=%d border=%s", random.pick ({"clerode", "cldilate"}),
          random.pick ({0, 1, 1, 3}), random.pick ({-1, 0, 1, 2}), random.pick ({1, 1, 2}),
          random.pick ({"replicate", "reflect", "reflect101", "wrap", "constant"}));
    case 2:
      return "clerode shape=ellipse radius=2";
    case 3:
      return format ("clnoise strength=0.125 seed=%d", random.between (0, 9));
    case 4:
      return "clmedian radius=1";
    case 5:
      return random.pick ({"clthreshold method=otsu", "cllevels auto=true smoothing=2", "clmorphology operation=gradient"});
    default:
      return random.pick ({"clsobel", "clsharpen amount=2", "clequalize", "clhistogram"});
  }
}

static std::string
random_common (Random &random)
{
  std::string text;
  if (random.chance (15))
    text += format (" planes=%d", random.pick ({1, 2, 15, 0}));
  if (random.chance (10))
    text += " mix=0.5";
  if (random.chance (10))
    text += " roi-x=7 roi-y=5 roi-width=60 roi-height=21";
  return text;
}

static GObject *
child_of (GstElement *chain, const char *name)
{
  return gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (chain), name);
}

/* Filters that fuse, each in its own way, in every format. */
TEST (fused, takes_all () ? std::size (formats) : 2)
{
  static const char *const chains[] = {"clthreshold threshold=0.25 ! clerode",
      "cllevels black=0.1 white=0.9 gamma=1.5 ! clthreshold type=tozero domain=per-component ! cldilate radius=2 radius-y=0",
      "clthreshold type=trunc domain=per-component ! cllevels white=0.75 ! clthreshold threshold=0.75 type=binary-inv",
      "cllevels gamma=0.5 ! clerode border=reflect101 radius=3", "cllevels gamma=0.5 ! clerode border=wrap",
      "cllevels gamma=0.5 ! cldilate border=constant border-value=0.75 radius-y=2"};
  const Case c = case_of (formats[__i__ % std::size (formats)]);
  for (const char *filters : chains)
    compare_with_row (c, filters);
  compare_with_row (c, "cllevels gamma=0.5 roi-source=list "
                       "roi-list=<[face,x=4,y=3,width=9,height=8],[face,x=9,y=9,width=0,height=2]> ! clerode");
  if (c.format == GST_VIDEO_FORMAT_RGBA || c.format == GST_VIDEO_FORMAT_RGB || c.format == GST_VIDEO_FORMAT_xBGR) {
    compare_with_row (c, "clcolormatrix preset=grayscale ! clthreshold ! clerode");
    compare_with_row (case_of (c.format, 5, 3), "clcolormatrix preset=sepia ! clthreshold domain=per-component ! clerode");
    compare_with_row (c, "clcolormatrix preset=sepia planes=5 ! cllevels gamma=2 planes=5 ! cldilate planes=5");
    compare_with_row (c, "clcolormatrix preset=sepia planes=1 ! clthreshold planes=7 threshold=.4");
    compare_with_row (c, "cllevels gamma=2 ! cladjust exposure=0.4 saturation=0.5 ! clcolormatrix preset=sepia");
    compare_with_row (c, "clsharpen planes=2 amount=2 ! cladjust planes=2 vibrance=0.5 curve=\"0 0.1; 0.5 0.4; 1 1\"");
  }
}

/* Filters that need luma and chroma of a place, on YUV of each subsampling and on frames of odd size. */
TEST (places, 7, 2)
{
  static constexpr GstVideoFormat subsamplings[] = {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_I420_10LE,
      GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_Y41B, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_A420};
  const Case c = case_of (subsamplings[__i__], 61, 23);
  compare_with_row (
      c, "cladjust exposure=0.4 ! cladjust saturation=1.5 hue=0.2 ! clcolormatrix preset=sepia", "steps + balance + direct");
  compare_with_row (
      c, "clcolormatrix preset=sepia ! cladjust saturation=1.5 mix=0.5 ! cladjust vibrance=0.5", "direct ! balance ! steps");
}

/* A filter that changes colorimetry runs with those behind it. */
TEST (recolored)
{
  const std::pair<GstVideoFormat, const char *> pictures[] = {{GST_VIDEO_FORMAT_NV12, "bt2100-pq"},
      {GST_VIDEO_FORMAT_I420_10LE, "bt2100-hlg"}, {GST_VIDEO_FORMAT_RGBA, "1:1:14:7"},
      {GST_VIDEO_FORMAT_RGBA64_LE, "1:1:14:7"}};
  for (const auto &[format, colorimetry] : pictures) {
    Case c = case_of (format, 61, 23);
    c.colorimetry = colorimetry;
    compare_with_row (c, "cltonemap ! cladjust saturation=1.5 ! clcolormatrix preset=sepia", "bt2390 + balance + direct");
    compare_with_row (c, "cladjust exposure=-0.4 ! cltonemap algorithm=hable ! cladjust saturation=1.5 planes=1 ! clmedian");
    c.colorimetry = "";
    compare_with_row (c, "cltonemap ! cladjust saturation=1.5 ! clcolormatrix preset=sepia");
  }
}

/* Names of neighbours in one kernel are joined with a plus. */
TEST (named)
{
  static const std::pair<const char *, const char *> chains[] = {
      {"cladjust exposure=0.4 ! clcolormatrix preset=grayscale ! cllevels black=0.1", "steps + direct + table"},
      {"clsharpen method=laplacian amount=2 ! cllevels black=0.1", "direct + table"},
      {"clscharr ! cllevels black=0.1", "direct + table"},
      {"clsharpen method=laplacian ! clcolormatrix preset=grayscale ! clsobel", "direct + direct ! direct"}};
  for (const auto &[filters, names] : chains)
    compare_with_row (case_of (GST_VIDEO_FORMAT_RGBA), filters, names);
}

TEST (random_chains, takes_all () ? 40 : 4)
{
  Random random (7000 + __i__);
  Case c = case_of (formats[__i__ % std::size (formats)], random.between (40, 160), random.between (20, 50));
  c.common.interlaced = random.chance (15);
  std::string filters;
  const int n = random.between (2, 5);
  for (int i = 0; i < n; i++)
    filters += (i ? " ! " : "") + (random.chance (65) ? random_point (random) : random_other (random)) + random_common (random);
  compare_with_row (c, filters);
}

/* Properties of children take effect with the next frame, including properties that allow or prevent fusion. */
TEST (live)
{
  const Case c = case_of (GST_VIDEO_FORMAT_RGBA);
  Link row ("clcolormatrix preset=sepia ! clthreshold ! clerode", in_caps_of (c), out_caps_of (c));
  Link chain (chain_of ("clcolormatrix preset=sepia ! clthreshold name=cut ! clerode"), in_caps_of (c), out_caps_of (c));
  static const struct {
    const char *element, *child, *property, *value;
  } changes[] = {{"clthreshold", "filter1", "threshold", "0.25"}, {"clthreshold", "cut", "type", "tozero"},
      {"clcolormatrix", "filter0", "mix", "0.5"}, {"clthreshold", "filter1", "domain", "per-component"},
      {"clcolormatrix", "filter0", "mix", "1"}, {"clerode", "filter2", "radius", "2"}, {"clerode", "filter2", "radius", "0"},
      {"clcolormatrix", "filter0", "preset", "none"}, {"clthreshold", "filter1", "mix", "0"},
      {"clerode", "filter2", "radius", "1"}, {"clthreshold", "filter1", "mix", "1"},
      {"clthreshold", "filter1", "method", "otsu"}, {"clthreshold", "filter1", "planes", "y"},
      {"clcolormatrix", "filter0", "preset", "invert"}};
  for (const auto &[element, child, property, value] : changes) {
    row.set (element, property, value);
    const Own object = child_of (chain.element ("clchain"), child);
    ck_assert_msg (object, "no child %s", child);
    gst_util_set_object_arg (object, property, value);
    /* the fused program is ready some frames later */
    for (unsigned frame = 0; frame < 3; frame++) {
      compare_frame (c, row, chain, frame, format ("%s.%s=%s", child, property, value));
      g_usleep (50000);
    }
  }
}

TEST (children)
{
  GstElement *chain = gst_parse_launch (
      (chain_of ("clnoise ! clmedian name=middle radius=2 ! clsharpen") + " filter2::amount=3").c_str (), nullptr);
  ck_assert (chain);
  ck_assert_uint_eq (gst_child_proxy_get_children_count (GST_CHILD_PROXY (chain)), 3);
  GObject *middle = child_of (chain, "middle"), *second = child_of (chain, "filter1");
  ck_assert (middle && middle == second);
  ck_assert (gst_element_get_factory (static_cast<GstElement *> (GST_BIN (chain)->children->data)));
  ck_assert (!child_of (chain, "filter3") && !child_of (chain, "clblur"));
  gint radius = 0;
  gdouble amount = 0;
  gst_child_proxy_get (GST_CHILD_PROXY (chain), "filter1::radius", &radius, "filter2::amount", &amount, nullptr);
  ck_assert_int_eq (radius, 2);
  ck_assert (amount == 3);
  g_autofree gchar *path = gst_object_get_path_string (GST_OBJECT (middle));
  ck_assert_msg (g_str_has_suffix (path, "/GstClMedian:middle"), "%s", path);
  /* they may outlive the chain, and have no parent then */
  g_object_unref (second);
  gst_object_unref (chain);
  ck_assert (!GST_OBJECT_PARENT (middle));
  g_object_unref (middle);
}

/* A controller of a child follows the stream's time. */
TEST (controller)
{
  const Case c = case_of (GST_VIDEO_FORMAT_GRAY8);
  Link chain (chain_of ("cllevels gamma=2 ! clthreshold threshold=0"), in_caps_of (c), out_caps_of (c));
  const Own child = child_of (chain.element ("clchain"), "filter1");
  control (child, "threshold", {{0, 0}, {10 * GST_SECOND, 1}});
  for (const double at : {0., 2.5, 5., 7.5}) {
    const ref::Picture in = noise_for (c, 3);
    const Own result = chain.filter (timed (make_buffer (c, in, Storage::Tight), GstClockTime (at * GST_SECOND)));
    const ref::Picture got = picture_in (c, result);
    ck_assert (std::abs (number_property (child, "threshold") - at / 10) < 1e-9);
    Link row (format ("cllevels gamma=2 ! clthreshold threshold=%.17g", number_property (child, "threshold")), in_caps_of (c),
        out_caps_of (c));
    expect_same_bits (filtered (c, row, in), got, format ("at %g s", at));
  }
}

/* Replaces the filters while playing; filters that do not parse leave the old ones. */
TEST (other_filters)
{
  const Case c = case_of (GST_VIDEO_FORMAT_I420);
  Link chain (chain_of ("clmedian ! clerode"), in_caps_of (c), out_caps_of (c));
  static const struct {
    const char *set, *effective;
  } changes[] = {{"clblur sigma=1", "clblur sigma=1"}, {"clnoise ! nonsense", "clblur sigma=1"},
      {"clcolormatrix preset=sepia", "clcolormatrix preset=sepia"}, {"", "clcolormatrix preset=sepia"},
      {"clthreshold ! cllevels gamma=2 ! clerode", "clthreshold ! cllevels gamma=2 ! clerode"},
      {"clnoise strength=0", "identity"}, {"cllevels gamma=2 ! clsobel", "cllevels gamma=2 ! clsobel"}};
  for (const auto &[set, effective] : changes) {
    g_object_set (chain.element ("clchain"), "filters", set, nullptr);
    Link row (effective, in_caps_of (c), out_caps_of (c));
    for (const unsigned frame : {0, 1})
      compare_frame (c, row, chain, frame, format ("after \"%s\"", set));
  }
  ck_assert (chain.errors ().empty ());
}

/* A frame is transferred once in each direction, and a running chain creates nothing. */
TEST (steady)
{
  const Case c = case_of (GST_VIDEO_FORMAT_RGBA);
  static const char *const chains[] = {"clcolormatrix preset=grayscale ! clthreshold ! clerode",
      "clmedian ! cllevels gamma=2 ! clnoise ! clsobel", "clnoise strength=0 ! cllevels auto=true ! clthreshold method=otsu"};
  for (const char *filters : chains) {
    Link chain (chain_of (filters), in_caps_of (c), out_caps_of (c));
    guint64 allocations = 0, builds = 0, up = 0, down = 0;
    for (unsigned frame = 0; frame < 40; frame++) {
      gst_buffer_unref (chain.filter (make_buffer (c, noise_for (c, frame % 3), Storage::Tight)));
      if (frame != 9)
        continue;
      allocations = stat (chain.element ("clchain"), "allocations");
      builds = stat (chain.element ("clchain"), "builds");
      up = stat (chain.element ("clchain"), "bytes-uploaded");
      down = stat (chain.element ("clchain"), "bytes-downloaded");
    }
    ck_assert_uint_eq (stat (chain.element ("clchain"), "builds"), builds);
    const guint64 size = guint64 (c.width) * c.height * 4, frames = 30;
    const guint64 more_up = stat (chain.element ("clchain"), "bytes-uploaded") - up;
    const guint64 more_down = stat (chain.element ("clchain"), "bytes-downloaded") - down;
    test_check (more_up == 0 || more_up == frames * size, "%s: %d bytes up", filters, int (more_up));
    test_check (more_down == 0 || more_down == frames * size, "%s: %d bytes down", filters, int (more_down));
    ck_assert_uint_eq (stat (chain.element ("clchain"), "frames"), 40);
    if (!expected_gl_path ())
      test_check (
          stat (chain.element ("clchain"), "allocations") <= allocations + 30, "%s: more than a view of each frame", filters);
    g_print ("%s: %s\n", filters, stat_text (chain.element ("clchain"), "algorithm").c_str ());
  }
}

/* Messages come from the child that posts them, and its numbers are in its own stats. */
TEST (messages)
{
  Pipeline pipeline (
      "videotestsrc num-buffers=2 ! video/x-raw,format=RGBA,width=64,height=48 ! "
      + chain_of ("clhistogram name=before ! clcolormatrix preset=invert ! clhistogram ! clthreshold method=otsu")
      + " name=chain ! fakesink");
  pipeline.must_reach (GST_STATE_PLAYING);
  int before = 0, after = 0;
  for (bool ended = false; !ended;) {
    const Own message = gst_bus_timed_pop_filtered (
        pipeline.bus (), 60 * GST_SECOND, GstMessageType (GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT));
    ck_assert (message && GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR);
    ended = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (gst_message_has_name (message, "clhistogram"))
      ++(g_str_equal (GST_MESSAGE_SRC_NAME (message), "before") ? before : after);
  }
  ck_assert_int_eq (before, 2);
  ck_assert_int_eq (after, 2);
  const Own child = child_of (pipeline.element ("chain"), "filter3");
  const Own stats = stats_of (GST_ELEMENT (child));
  gdouble threshold = -1;
  test_check (gst_structure_get_double (stats, "threshold", &threshold) && threshold >= 0, "no threshold in stats");
  ck_assert_uint_eq (stat (GST_ELEMENT (child), "frames"), 2);
}

/* Keys from the video window reach the children that handle them. */
TEST (keys)
{
  const Case c = case_of (GST_VIDEO_FORMAT_GRAY8);
  Link chain (chain_of ("clmedian ! clthreshold navigation=true"), in_caps_of (c), out_caps_of (c));
  gst_harness_push_upstream_event (chain.harness (), gst_navigation_event_new_key_press ("Up", GST_NAVIGATION_MODIFIER_NONE));
  const Own child = child_of (chain.element ("clchain"), "filter1");
  ck_assert (std::abs (number_property (child, "threshold") - 0.52) < 1e-9);
}

/* Separate neighbours pass frames in OpenCL memory. */
TEST (neighbours)
{
  const Case c = case_of (GST_VIDEO_FORMAT_RGBA);
  Link row ("clcolormatrix preset=grayscale ! clthreshold ! clerode", in_caps_of (c), out_caps_of (c));
  for (unsigned frame = 0; frame < 3; frame++)
    filtered (c, row, noise_for (c, frame));
  ck_assert_str_eq (stat_text (row.element ("clthreshold"), "path").c_str (), "opencl");
  ck_assert_uint_eq (stat (row.element ("clthreshold"), "bytes-uploaded"), 0);
  ck_assert_uint_eq (stat (row.element ("clthreshold"), "bytes-downloaded"), 0);
}

/* Results are pushed when they are complete, whichever filter of the chain had the last command: here a copy from images. */
TEST_IN (written_tests, written)
{
  const Case c = case_of (GST_VIDEO_FORMAT_GRAY8, 800, 400);
  Link link (chain_of ("clerode ! cldilate"), in_caps_of (c), out_caps_of (c));
  ref::Picture picture = ref::make_picture (c.format, c.width, c.height);
  std::vector<int> &values = picture.components[0].value;
  for (int frame = 0; frame < 16; frame++) {
    std::ranges::fill (values, 255 * (frame / 2 % 2));
    const ref::Picture out = filtered (c, link, picture);
    test_check (out.components[0].value == values, "frame %d is not the filtered one", frame);
  }
}

}  // namespace test::chain_suite
