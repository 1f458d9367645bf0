/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clblend: every mode against the reference, over formats, numbers of inputs and kinds of memory; streams of different rates
 * and lengths; weights that change while playing; incompatible inputs. */
#include "../../elements/inputs.hpp"
#include "reference.hpp"

#include <thread>

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

static int
value_of (const ref::Picture &picture)
{
  return picture.components[0].value[0];
}

constexpr GstVideoFormat gray = GST_VIDEO_FORMAT_GRAY8;

/* Ten frames a second with thirty: the result has thirty, each with the other input's current frame. */
TEST (rates, system_only (1))
{
  Inputs inputs ("clblend", {{raw_caps (gray, 16, 8), "sink_0"}, {raw_caps (gray, 16, 8, "framerate=10/1"), "sink_1"}});
  for (int i = 0; i < 12; i++)
    inputs.push (0, flat (gray, 16, 8, i), i * GST_SECOND / 30, frame_time);
  for (int i = 0; i < 4; i++)
    inputs.push (1, flat (gray, 16, 8, 20 * (i + 1)), i * GST_SECOND / 10, GST_SECOND / 10);
  inputs.end_all ();
  for (int i = 0; i < 12; i++) {
    GstClockTime pts = 0;
    const int value = value_of (inputs.pull_picture (&pts));
    test_check (value == i + 20 * (i / 3 + 1), "frame %d is %d", i, value);
    ck_assert_uint_eq (pts / GST_MSECOND, i * GST_SECOND / 30 / GST_MSECOND);
  }
  inputs.expect_end ();
}

/* A frame of the first input that is shown three times has its captions once; its time code counts the results. */
TEST (repeated_metadata, system_only (1))
{
  Inputs inputs ("clblend", {{raw_caps (gray, 16, 8, "framerate=10/1"), "sink_0"}, {raw_caps (gray, 16, 8), "sink_1"}});
  for (int i = 0; i < 2; i++)
    inputs.push (0, flat (gray, 16, 8, i), i * GST_SECOND / 10, GST_SECOND / 10, Storage::Tight, 0, [i] (GstBuffer *buffer) {
      gst_buffer_add_video_caption_meta (buffer, GST_VIDEO_CAPTION_TYPE_CEA708_RAW, (const guint8 *) "cc", 2);
      gst_buffer_add_video_time_code_meta_full (buffer, 10, 1, nullptr, GST_VIDEO_TIME_CODE_FLAGS_NONE, 0, 0, 1, i, 0);
    });
  for (int i = 0; i < 6; i++)
    inputs.push (1, flat (gray, 16, 8, i), i * GST_SECOND / 30, frame_time);
  inputs.end_all ();
  for (guint i = 0; i < 6; i++) {
    g_autoptr (GstSample) sample = inputs.pull ();
    GstBuffer *buffer = gst_sample_get_buffer (sample);
    const GstVideoTimeCodeMeta *meta = gst_buffer_get_video_time_code_meta (buffer);
    test_check (meta && meta->tc.frames == i && meta->tc.config.fps_n == 30, "time code of result %u", i);
    test_check (!gst_buffer_get_video_caption_meta (buffer) == (i % 3 > 0), "captions of result %u", i);
  }
}

/* A stream that ends before the others, or begins after them, is not part of the result at that time. */
TEST (ends, system_only (1))
{
  Inputs inputs ("clblend", {{raw_caps (gray, 16, 8), "sink_0"}, {raw_caps (gray, 16, 8), "sink_1"}});
  for (int i = 0; i < 6; i++)
    inputs.push (0, flat (gray, 16, 8, 10 + i), i * GST_SECOND / 30, frame_time);
  for (int i = 2; i < 4; i++)
    inputs.push (1, flat (gray, 16, 8, 100), i * GST_SECOND / 30, frame_time);
  inputs.end_all ();
  for (int i = 0; i < 6; i++) {
    const int value = value_of (inputs.pull_picture ());
    test_check (value == 10 + i + (i == 2 || i == 3 ? 100 : 0), "frame %d is %d", i, value);
  }
  inputs.expect_end ();
}

/* A weight applies from the next frame on, and a controller moves it by stream time. */
TEST (weights, system_only (1))
{
  Inputs inputs ("clblend", {{raw_caps (gray, 16, 8), "sink_0"}, {raw_caps (gray, 16, 8), "sink_1"}});
  const Own pad = gst_element_get_static_pad (inputs.tested (), "sink_1");
  const auto blended = [&] (int i) {
    inputs.push (0, flat (gray, 16, 8, 50), i * GST_SECOND / 30, frame_time);
    inputs.push (1, flat (gray, 16, 8, 20), i * GST_SECOND / 30, frame_time);
    return value_of (inputs.pull_picture ());
  };
  ck_assert_int_eq (blended (0), 70);
  g_object_set (pad, "weight", -2.0, nullptr);
  ck_assert_int_eq (blended (1), 10);
  g_object_set (pad, "weight", 0.5, nullptr);
  ck_assert_int_eq (blended (2), 60);
  const guint64 builds = stat (inputs.tested (), "builds");

  control (pad, "weight", {{0, 3}, {4 * GST_SECOND / 30, 4}}, GST_INTERPOLATION_MODE_NONE);
  ck_assert_int_eq (blended (3), 110);
  ck_assert_int_eq (blended (4), 130);
  ck_assert_uint_eq (stat (inputs.tested (), "builds"), builds);
}

/* The mode changes while playing. */
TEST (live_mode, system_only (1))
{
  Inputs inputs ("clblend", {{raw_caps (gray, 16, 8), "sink_0"}, {raw_caps (gray, 16, 8), "sink_1"}});
  static const int expected[] = {110, 55, 90, 4, 100, 10};
  for (int i = 0; i < 6; i++) {
    gst_util_set_object_arg (G_OBJECT (inputs.tested ()), "mode", modes[i]);
    inputs.push (0, flat (gray, 16, 8, 10), i * GST_SECOND / 30, frame_time);
    inputs.push (1, flat (gray, 16, 8, 100), i * GST_SECOND / 30, frame_time);
    const int value = value_of (inputs.pull_picture ());
    test_check (value == expected[i], "%s gives %d", modes[i], value);
  }
}

TEST (mismatch, system_only (1))
{
  check_mismatch ("clblend", "sink_0", "sink_1");
}

/* Elements that can adapt do so. */
TEST (conversion, system_only (1))
{
  Pipeline pipeline ("clblend name=tested ! video/x-raw,format=RGBA,width=40,height=30 ! appsink name=out sync=false "
                     "videotestsrc num-buffers=2 ! video/x-raw,format=I420,width=64,height=48 ! videoconvert ! videoscale ! "
                     "tested. videotestsrc num-buffers=2 ! videoconvert ! videoscale ! tested.");
  pipeline.must_reach (GST_STATE_PLAYING);
  pull_picture (pipeline);
}

static std::string
white_part (const char *id, int width, int input, int frames = 1)
{
  return format (
      "videotestsrc num-buffers=%d pattern=white ! video/x-raw,format=%s,width=%d,height=24,framerate=30/1 ! join%d. ", frames,
      id, width, input);
}

/* Results of these widths, all white, come. */
static void
expect_white (const std::string &sources, const std::vector<int> &widths)
{
  Pipeline pipeline ("clblend name=tested ! appsink name=out sync=false concat name=join0 ! queue ! tested. "
                     "concat name=join1 ! queue ! tested. "
                     + sources);
  pipeline.must_reach (GST_STATE_PLAYING);
  for (const int width : widths) {
    const ref::Picture picture = pull_picture (pipeline);
    ck_assert_int_eq (picture.width, width);
    for (const int value : picture.components[0].value)
      ck_assert_int_eq (value, 255);
  }
}

/* Both streams change size and format with every frame; their pads have the caps of frames that wait. */
TEST (caps_change, system_only (1))
{
  std::string sources;
  for (int i = 0; i < 2; i++)
    sources += white_part ("RGBA", 32, i) + white_part ("I420", 64, i) + white_part ("RGBA", 48, i);
  expect_white (sources, {32, 64, 48});
}

/* The first stream ends, then the other one changes its size. */
TEST (caps_change_alone, system_only (1))
{
  expect_white (white_part ("RGBA", 32, 0) + white_part ("RGBA", 32, 1, 2) + white_part ("RGBA", 48, 1), {32, 32, 48});
}

/* A flushing seek of all streams. */
TEST (seek, system_only (1))
{
  Pipeline pipeline ("clblend name=tested mode=average ! fakesink name=sink enable-last-sample=true "
                     "videotestsrc num-buffers=300 ! video/x-raw,width=32,height=16,framerate=30/1 ! tested. "
                     "videotestsrc num-buffers=300 ! video/x-raw,width=32,height=16,framerate=15/1 ! tested.");
  pipeline.must_reach (GST_STATE_PAUSED);
  for (const int second : {4, 1, 7, 0}) {
    pipeline.seek (second * GST_SECOND);
    ck_assert_uint_eq (pipeline.shown_by ("sink"), second * GST_SECOND);
  }
}

/* When all inputs of a live element have ended, its time goes on with the clock. */
TEST (live_end, system_only (1))
{
  Pipeline pipeline ("videotestsrc is-live=true num-buffers=3 ! video/x-raw,format=GRAY8,width=32,height=16,framerate=25/1 ! "
                     "clblend name=tested force-live=true ! fakesink sync=false");
  pipeline.reach (GST_STATE_PLAYING);
  g_usleep (500'000);
  gint64 position = 0;
  test_check (gst_element_query_position (pipeline.element ("tested"), GST_FORMAT_TIME, &position), "no position");
  test_check (position < 5 * gint64 (GST_SECOND), "at %.1f s after half a second", double (position) / GST_SECOND);
}

/* An input is flushed while a result is made of its frame. */
TEST (flushed_meanwhile, system_only (1))
{
  Inputs inputs ("clblend emit-signals=true", {{raw_caps (gray, 16, 8), "sink_0"}, {raw_caps (gray, 16, 8), "sink_1"}});
  const auto flush = +[] (GstElement *element) {
    const Own pad = gst_element_get_static_pad (element, "sink_0");
    std::thread ([&] {
      gst_pad_send_event (pad, gst_event_new_flush_start ());
      gst_pad_send_event (pad, gst_event_new_flush_stop (FALSE));
    }).join ();
  };
  g_signal_connect (inputs.tested (), "samples-selected", G_CALLBACK (flush), nullptr);
  for (int i = 0; i < 2; i++)
    inputs.push (i, flat (gray, 16, 8, 10), 0, frame_time);
  ck_assert_int_eq (value_of (inputs.pull_picture ()), 20);
}

/* State changes, and pads that are added and removed while playing. */
TEST (states, system_only (1))
{
  Pipeline pipeline ("clblend name=tested ! fakesink videotestsrc ! video/x-raw,width=32,height=16 ! queue ! tested. "
                     "videotestsrc ! video/x-raw,width=32,height=16 ! queue ! tested.");
  for (const GstState state :
      {GST_STATE_PLAYING, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_NULL, GST_STATE_PLAYING})
    pipeline.must_reach (state);
  g_usleep (50000);
  const Own pad = gst_element_get_static_pad (pipeline.element ("tested"), "sink_1"), peer = gst_pad_get_peer (pad);
  gst_pad_unlink (peer, pad);
  gst_element_release_request_pad (pipeline.element ("tested"), pad);
  g_usleep (50000);
  for (const Report &report : pipeline.errors ())
    test_check (report.from != "tested", "%s", report.all ().c_str ());
}

}  // namespace test::blend_suite
