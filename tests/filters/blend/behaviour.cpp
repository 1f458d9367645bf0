/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clblend: every mode against the reference, over formats, numbers of inputs and kinds of memory. */
#include "../../elements/inputs.hpp"
#include "reference.hpp"

namespace test::blend_suite {

static Tests tests ("blend", Needs::DeviceOrGL);

static const char *modes[] = {"add", "average", "difference", "multiply", "lighten", "darken"};
constexpr GstClockTime frame_time = GST_SECOND / 30;

/* One frame of each input, and how they are blended. */
struct BlendCase {
  GstVideoFormat format = GST_VIDEO_FORMAT_RGBA;
  int width = 33, height = 17;
  ref::Blend set;
  ref::Common common;
  std::vector<std::string> before; /* elements before each input */
  std::string behind, properties;
  int tolerance = 0;
  std::vector<ref::Picture> pictures;
  std::vector<Storage> storages;
};

static std::string
element_line (const BlendCase &c)
{
  std::string line = format ("clblend mode=%s bias=%.17g %s", modes[c.set.mode], c.set.bias, c.properties.c_str ());
  for (size_t i = 0; i < c.set.weights.size (); i++)
    line += format (" sink_%zu::weight=%.17g", i, c.set.weights[i]);
  return line;
}

static void
compare_pictures (const BlendCase &c, const ref::Picture &got, const ref::Picture &expected)
{
  for (size_t n = 0; n < expected.components.size (); n++) {
    const ref::Component &is = got.components[n], &should = expected.components[n];
    /* floats, which have enough precision for 12 bits */
    const bool rounds = c.set.mode == ref::Blend::Multiply && should.is_chroma () && expected.layout->depth > 12;
    const int tolerance = std::max (c.tolerance, int (rounds));
    for (size_t i = 0; i < should.value.size (); i++) {
      const bool filtered = !should.filtered.empty () && should.filtered[i];
      const int error = std::abs (is.value[i] - should.value[i]);
      test_check (error <= (filtered ? tolerance : 0), "%s %s %dx%d, %zu inputs: component %c, sample %zu is %d, expected %d",
          element_line (c).c_str (), gst_video_format_to_string (c.format), c.width, c.height, c.pictures.size (), should.name,
          i, is.value[i], should.value[i]);
    }
  }
}

static std::vector<InputLine>
lines_of (const BlendCase &c)
{
  std::vector<InputLine> lines;
  for (size_t i = 0; i < c.pictures.size (); i++)
    lines.push_back ({raw_caps (c.format, c.width, c.height), format ("sink_%zu", i), c.before.empty () ? "" : c.before[i]});
  return lines;
}

static void
check_blend (const BlendCase &c)
{
  Inputs inputs (element_line (c), lines_of (c), c.behind);
  for (size_t i = 0; i < c.pictures.size (); i++)
    inputs.push (i, c.pictures[i], 0, frame_time, storage_before (c.before.empty () ? "" : c.before[i], c.storages[i]));
  inputs.end_all ();
  const ref::Picture got = inputs.pull_picture ();
  inputs.expect_end ();
  const ref::Picture expected = ref::apply (
      c.pictures[0], c.common, [&] (const ref::Picture &, const ref::Scene &) { return ref::blend (c.pictures, c.set); });
  compare_pictures (c, got, expected);
}

static void
fill (BlendCase &c, int count, Random &random)
{
  c.pictures.clear ();
  c.storages.clear ();
  c.set.weights.clear ();
  for (int i = 0; i < count; i++) {
    c.pictures.push_back (make_picture (c.format, c.width, c.height, random.pick (contents), random));
    c.storages.push_back (random.pick (storages));
    c.set.weights.push_back (random.between (-3, 4));
  }
}

/* Every format, with two of the six modes in turn, because each is a kernel to compile. */
TEST (formats, system_only (ref::tried_layouts ()), 3)
{
  Random random (__i__);
  BlendCase c;
  c.format = ref::layouts ()[__i__].format;
  for (const int mode : {__i__ % 6, (__i__ + 3) % 6}) {
    c.set.mode = ref::Blend::Mode (mode);
    c.set.bias = random.between (-4, 4) / 16.0;
    fill (c, 2, random);
    check_blend (c);
  }
}

/* The smallest pictures, and rows of several groups of work. */
TEST (sizes, system_only (4))
{
  static const int sizes[][2] = {{1, 1}, {2, 3}, {70, 1}, {1025, 2}};
  Random random (50 + __i__);
  BlendCase c;
  c.format = random.pick ({GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_RGB});
  c.width = sizes[__i__][0];
  c.height = sizes[__i__][1];
  fill (c, 2, random);
  check_blend (c);
}

/* A running element creates nothing. */
TEST (steady, system_only (1))
{
  static const char source[] = "videotestsrc num-buffers=300 ! video/x-raw,width=32,height=16 ! queue max-size-buffers=3 ! ";
  Pipeline pipeline (format ("clblend name=tested ! fakesink %s tested. %s tested.", source, source));
  pipeline.play_to_end ();
  GstElement *element = pipeline.element ("tested");
  ck_assert_uint_eq (stat (element, "frames"), 300);
  test_check (stat (element, "allocations") <= 24, "%d allocations", (int) stat (element, "allocations"));
}

/* Several launches, whose sums of one row must not overlap those of the next, in any order. */
TEST (tall, system_only (1))
{
  Random random (200);
  BlendCase c;
  c.format = GST_VIDEO_FORMAT_GRAY8;
  c.height = 1500;
  for (int i = 0; i < 3; i++) {
    fill (c, 5, random);
    check_blend (c);
  }
}

/* From one input to many, which need several launches, at 8 and 16 bits. */
TEST (counts, system_only (6))
{
  static const int counts[] = {1, 2, 4, 5, 7, 12};
  Random random (100 + __i__);
  BlendCase c;
  const int step = takes_all () ? 1 : 2;
  for (const GstVideoFormat format : {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_GRAY16_LE})
    for (int mode = __i__ % step; mode < 5; mode += step) {
      c.format = format;
      c.set.mode = ref::Blend::Mode (mode);
      c.set.bias = random.between (0, 2) / 4.0;
      fill (c, counts[__i__], random);
      /* beyond 64 bits products are real numbers */
      c.tolerance = mode == ref::Blend::Multiply && counts[__i__] > (format == GST_VIDEO_FORMAT_GRAY8 ? 7 : 3);
      check_blend (c);
    }
}

/* Ties and the ends of the ranges: halves round to even; weights that cancel out; negative weights. */
TEST (numbers, system_only (1))
{
  static const struct {
    ref::Blend::Mode mode;
    double bias;
    std::vector<double> weights;
    int tolerance;
  } cases[] = {{ref::Blend::Average, 0, {1, 1}, 0}, {ref::Blend::Average, 0, {1, -1}, 0}, {ref::Blend::Average, 0, {-3, 1}, 0},
      {ref::Blend::Average, 0.5, {-2, -2}, 0}, {ref::Blend::Add, 0, {10, -10}, 0}, {ref::Blend::Add, -1, {10, 10}, 0},
      {ref::Blend::Add, 0.5, {0.5, -0.5}, 0}, {ref::Blend::Add, 0, {0.25, 0.25}, 0}, {ref::Blend::Multiply, 0.5, {1, 1}, 0},
      {ref::Blend::Multiply, 0.1, {1, 1}, 0}, {ref::Blend::Lighten, 0.3, {1, 1}, 0}, {ref::Blend::Difference, -0.3, {1, 1}, 0},
      {ref::Blend::Average, 0, {0.3, 0.9}, 1}, {ref::Blend::Add, 0.123, {1.7, -0.4}, 1}};
  Random random (200 + __i__);
  BlendCase c;
  for (const GstVideoFormat format : {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_FORMAT_RGBA64_LE})
    for (const auto &each : cases) {
      c.format = format;
      fill (c, 2, random);
      c.set = {each.mode, each.bias, each.weights};
      c.tolerance = each.tolerance;
      check_blend (c);
    }
}

/* planes, mix and regions apply relative to the first input, as in every filter. */
TEST (common, system_only (12), 3)
{
  Random random (300 + __i__);
  BlendCase c;
  c.format = random.pick ({GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_P010_10LE});
  c.set.mode = ref::Blend::Mode (random.between (0, 5));
  fill (c, 3, random);
  c.common.planes = random.between (0, 15);
  c.common.mix = random.between (0, 4) / 4.0;
  c.common.whole_frame = false;
  c.common.roi = {{random.between (0, 10), random.between (0, 10), random.between (0, 30), random.between (0, 10)}};
  const ref::Rectangle &r = c.common.roi[0];
  c.properties = format ("planes=%u mix=%g roi-x=%d roi-y=%d roi-width=%d roi-height=%d", c.common.planes, c.common.mix, r.x,
      r.y, r.width, r.height);
  check_blend (c);
}

/* Each pad in any memory, and the result in any memory. */
TEST (memories, 6)
{
  Random random (400 + __i__);
  BlendCase c;
  c.format = random.pick ({GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_GRAY8});
  c.set.mode = ref::Blend::Mode (__i__ % 6);
  c.width = 44; /* glupload and gldownload support only even sizes of NV12 */
  c.height = 32;
  std::vector<std::pair<std::string, std::string>> ways{{"", ""}, {"clupload ! ", "cldownload ! video/x-raw ! "}};
  if (expected_gl_path ())
    ways = {{"glupload ! ", "video/x-raw(memory:GLMemory) ! gldownload ! "}, ways[1], ways[0]};
  for (size_t i = 0; i < ways.size (); i++)
    for (size_t j = 0; j < ways.size (); j++) {
      fill (c, 2, random);
      c.before = {ways[i].first, ways[j].first};
      c.behind = random.pick (ways).second;
      check_blend (c);
    }
}

/* The same texture on two pads. */
TEST (one_frame_twice)
{
  const char *upload = expected_gl_path () ? "glupload ! " : "";
  const std::string line = std::string ("videotestsrc num-buffers=3 pattern=ball ! ")
                           + "video/x-raw,format=RGBA,width=64,height=32 ! " + upload
                           + "tee name=t t. ! queue ! clblend name=blend mode=difference " + "planes=15 ! "
                           + (expected_gl_path () ? "gldownload ! " : "") + "appsink name=out sync=false t. ! queue ! blend.";
  Pipeline pipeline (line);
  pipeline.must_reach (GST_STATE_PLAYING);
  for (int i = 0; i < 3; i++)
    for (const ref::Component &component : pull_picture (pipeline).components)
      for (const int value : component.value)
        ck_assert_int_eq (value, 0);
}

}  // namespace test::blend_suite
