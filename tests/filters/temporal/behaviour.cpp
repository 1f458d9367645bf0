/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cltemporal: every sample against the reference; no frame is lost or gets wrong times, whatever happens to the stream. */
#include "../../elements/gl.hpp"
#include "../../elements/inputs.hpp"
#include "reference.hpp"

#include <fstream>

namespace test::temporal_suite {

static Tests tests ("temporal", Needs::DeviceOrGL);

static constexpr GstClockTime frame_time = GST_SECOND / 25;

static const char *method_names[] = {"average", "median", "recursive"};

static std::string
properties_of (const ref::Temporal &set)
{
  return format (
      "method=%s frames=%d threshold=%.17g strength=%.17g", method_names[set.method], set.frames, set.threshold, set.strength);
}

/* Noisy pictures of a scene; at `cut`, another scene begins. */
static std::vector<ref::Picture>
make_stream (const Case &c, int n, int cut)
{
  Random random (c.number);
  std::vector<ref::Picture> scenes;
  for (const Content content : {Content::Natural, Content::Noise})
    scenes.push_back (make_picture (c.format, c.width, c.height, content, random));
  std::vector<ref::Picture> stream;
  for (int t = 0; t < n; t++) {
    stream.push_back (scenes[t >= cut]);
    const int max = stream[t].max (), spread = max / 8, highest = stream[t].max_stored ();
    for (ref::Component &component : stream[t].components)
      for (int &value : component.value) {
        value = std::clamp (value + random.between (-spread, spread), 0, max);
        if (highest > max && random.chance (5))
          value = random.between (max + 1, highest);
      }
  }
  return stream;
}

static GstBuffer *
frame_at (const Case &c, const ref::Picture &picture, int t)
{
  return timed (make_buffer (c, picture, storages[t % std::size (storages)]), t * frame_time, frame_time);
}

/* Pushes frames from `begin` to `end`. */
static void
push_frames (const Case &c, Link &link, const std::vector<ref::Picture> &stream, int begin, int end)
{
  for (int t = begin; t < end; t++)
    ck_assert_int_eq (link.push (frame_at (c, stream[t], t)), GST_FLOW_OK);
}

static Case
case_of (GstVideoFormat format, const ref::Temporal &set, unsigned number)
{
  Case c = test::case_of ("cltemporal " + properties_of (set), format, 35, 18);
  c.settings.tolerance = set.method == ref::Temporal::Recursive ? 1 : 0;
  c.number = number;
  return c;
}

/* Pulls all available frames and compares them with results; only the frame `discont` has the DISCONT flag. */
static void
check_results (Case c, Link &link, const std::vector<ref::Picture> &in, const std::vector<ref::Picture> &results,
    size_t discont = SIZE_MAX)
{
  for (size_t t = 0; t < in.size (); t++) {
    const Own buffer = link.pull ();
    ck_assert_uint_eq (GST_BUFFER_PTS (buffer), t * frame_time);
    ck_assert_uint_eq (GST_BUFFER_DURATION (buffer), frame_time);
    ck_assert_int_eq (GST_BUFFER_IS_DISCONT (buffer), discont == t);
    c.settings.filter = [&] (const ref::Picture &, const ref::Scene &) { return results[t]; };
    check_result (c, in[t], buffer, format ("%s, %s, frame %zu", launch_of (c).c_str (), caps_of (c).c_str (), t));
  }
  fail_if (gst_harness_try_pull (link.harness ()));
}

/* For streams that begin again with the frame `cut`. */
static std::vector<ref::Picture>
results_of_parts (const std::vector<ref::Picture> &stream, int cut, const ref::Temporal &set)
{
  std::vector<ref::Picture> results;
  for (const auto &[begin, end] : {std::pair (stream.begin (), stream.begin () + cut), {stream.begin () + cut, stream.end ()}})
    if (begin != end)
      std::ranges::copy (ref::temporal ({begin, end}, set), std::back_inserter (results));
  return results;
}

static void
expect_picture (const ref::Picture &got, const ref::Picture &expected, int tolerance, int t)
{
  const std::vector<int> &values = got.components[0].value, &wanted = expected.components[0].value;
  ck_assert_uint_eq (values.size (), wanted.size ());
  for (size_t i = 0; i < values.size (); i++)
    test_check (
        std::abs (values[i] - wanted[i]) <= tolerance, "frame %d, sample %zu is %d, not %d", t, i, values[i], wanted[i]);
}

static void
check_stream (const Case &c, const ref::Temporal &set, int n, int cut)
{
  const std::vector<ref::Picture> stream = make_stream (c, n, cut);
  Link link = open (c);
  push_frames (c, link, stream, 0, n);
  link.end ();
  check_results (c, link, stream, ref::temporal (stream, set, c.common.planes));
  check_path (c, link);
}

static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_GRAY16_LE};

TEST (samples, 3 * std::size (formats))
{
  const auto method = ref::Temporal::Method (__i__ % 3);
  GstVideoFormat format = formats[__i__ / 3];
  /* samples above the maximum once */
  if (format == GST_VIDEO_FORMAT_P010_10LE && method == ref::Temporal::Median && !expected_gl_path ())
    format = GST_VIDEO_FORMAT_I420_10LE;
  if (expected_gl_path () && !fits_texture (format))
    return;
  for (const double strength : {1.0, 0.375}) {
    const ref::Temporal set{method, strength == 1 ? 5 : 3, 0.1875, strength};
    check_stream (case_of (format, set, 100 + __i__), set, 9, 5);
  }
}

TEST (windows, 2)
{
  for (const int frames : {7, 17, 33}) {
    const ref::Temporal set{ref::Temporal::Method (__i__), frames, 0.25, 1};
    Case c = case_of (GST_VIDEO_FORMAT_GRAY8, set, 200 + frames);
    check_stream (c, set, 40, 21);
    check_stream (c, set, 2, 2); /* fewer frames than the window has */
    check_stream (c, set, 1, 1);
  }
}

TEST (common, 3)
{
  const ref::Temporal set{ref::Temporal::Method (__i__), 5, 0.1875, 1};
  Case c = case_of (GST_VIDEO_FORMAT_RGBA, set, 300);
  c.common.planes = 10;
  check_stream (c, set, 7, 4);
  c.common.planes = 7;
  c.common.mix = 0.25;
  check_stream (c, set, 7, 4);
  const ref::Temporal nothing{ref::Temporal::Method (__i__), 5, 0.1875, 0};
  check_stream (case_of (GST_VIDEO_FORMAT_RGBA, nothing, 301), nothing, 7, 4);
  const ref::Temporal strict{ref::Temporal::Method (__i__), 5, 0, 1};
  check_stream (case_of (GST_VIDEO_FORMAT_RGBA, strict, 302), strict, 7, 7);
}

/* Frames before and after an interruption are independent, and none is lost. */
TEST (interruptions, 9)
{
  const ref::Temporal set{ref::Temporal::Method (__i__ % 3), 5, 0.25, 1};
  const int kind = __i__ / 3;
  const Case c = case_of (GST_VIDEO_FORMAT_GRAY8, set, 400);
  const std::vector<ref::Picture> stream = make_stream (c, 10, 10);
  const std::vector<ref::Picture> expected = results_of_parts (stream, 4, set);

  Link link = open (c);
  for (int t = 0; t < 10; t++) {
    GstBuffer *buffer = frame_at (c, stream[t], t);
    if (t == 4)
      interrupt (link, Interruption (kind), buffer);
    ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
  }
  link.end ();
  check_results (c, link, stream, expected, kind == 0 ? 4 : SIZE_MAX);
}

/* The pictures of forward playback, including scenes, though decoders mark the first frame of each group of pictures. */
TEST (backwards, 2)
{
  const ref::Temporal set{ref::Temporal::Method (__i__), 5, 0.25, 1};
  const Case c = case_of (GST_VIDEO_FORMAT_GRAY8, set, 460);
  const int n = 12;
  const std::vector<ref::Picture> stream = make_stream (c, n, 5);
  const std::vector<ref::Picture> expected = ref::temporal (stream, set);
  Link link = open (c);
  link.turn_back ();
  const auto is_marked = [] (int t) { return t == 8 || t == 4; };
  for (int t = n - 1; t >= 0; t--) {
    GstBuffer *buffer = frame_at (c, stream[t], t);
    if (is_marked (t))
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
  }
  link.end ();
  for (int t = n - 1; t >= 0; t--) {
    const Own buffer = link.pull ();
    ck_assert_uint_eq (GST_BUFFER_PTS (buffer), t * frame_time);
    ck_assert_int_eq (GST_BUFFER_IS_DISCONT (buffer), is_marked (t));
    expect_picture (picture_in (c, buffer), expected[t], 0, t);
  }
  fail_if (gst_harness_try_pull (link.harness ()));
}

/* Sources set DISCONT on their first buffer, harnesses do not; later frames continue it in both cases. */
TEST (marked_starts, system_only (6))
{
  const auto method = ref::Temporal::Method (__i__ % 3);
  const int cut = __i__ / 3 ? 5 : 0;
  const ref::Temporal set{method, 5, 0.25, 1};
  const Case c = case_of (GST_VIDEO_FORMAT_GRAY8, set, 450);
  const std::vector<ref::Picture> stream = make_stream (c, 11, 11);
  const std::vector<ref::Picture> expected = results_of_parts (stream, cut, set);
  Inputs inputs ("cltemporal " + properties_of (set), {{caps_of (c), "sink"}});
  for (int t = 0; t < 11; t++)
    inputs.push (0, stream[t], t * frame_time, frame_time, Storage::Tight, t == cut ? GST_BUFFER_FLAG_DISCONT : 0);
  inputs.end (0);
  for (int t = 0; t < 11; t++) {
    const Own sample = inputs.pull ();
    test_check (sample, "frame %d is missing", t);
    GstBuffer *buffer = gst_sample_get_buffer (sample);
    test_check (GST_BUFFER_IS_DISCONT (buffer) == (t == 0 || t == cut), "frame %d is %sa discontinuity", t,
        GST_BUFFER_IS_DISCONT (buffer) ? "" : "not ");
    expect_picture (from_buffer (buffer, gst_sample_get_caps (sample)), expected[t], c.settings.tolerance, t);
  }
  inputs.expect_end ();
}

TEST (from_a_file, system_only (3))
{
  const ref::Temporal set{ref::Temporal::Method (__i__), 5, 0.25, 1};
  Case c = case_of (GST_VIDEO_FORMAT_GRAY8, set, 460);
  c.width = 36; /* rows without padding */
  const std::vector<ref::Picture> stream = make_stream (c, 9, 9), expected = ref::temporal (stream, set);
  const std::string file = scratch_folder () + "/frames.gray8";
  std::ofstream out (file, std::ios::binary);
  for (const ref::Picture &picture : stream)
    for (const int value : picture.components[0].value)
      out.put (char (value));
  out.close ();
  Pipeline pipeline (
      format ("filesrc location=%s blocksize=777 ! rawvideoparse format=gray8 width=%d height=%d framerate=25/1 ! "
              "cltemporal %s ! appsink name=out sync=false",
          file.c_str (), c.width, c.height, properties_of (set).c_str ()));
  pipeline.must_reach (GST_STATE_PLAYING);
  for (int t = 0; t < 9; t++) {
    const Own sample = gst_app_sink_pull_sample (GST_APP_SINK (pipeline.element ("out")));
    test_check (sample, "frame %d is missing", t);
    expect_picture (
        from_buffer (gst_sample_get_buffer (sample), gst_sample_get_caps (sample)), expected[t], c.settings.tolerance, t);
  }
}

/* Fields and whole frames of mixed video have running values of their own, of different sizes. */
TEST (mixed)
{
  constexpr int width = 1920, height = 1080;
  Link link ("cltemporal method=recursive threshold=0.1",
      format ("video/x-raw,format=GRAY8,width=%d,height=%d,framerate=25/1,interlace-mode=mixed", width, height));
  for (int t = 0; t < 4; t++) {
    GstBuffer *buffer = timed (filled (width * height), t * frame_time, frame_time);
    if (t == 0)
      GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF);
    const Own result = link.filter (buffer);
    const std::string same (width * height, 100); /* of filled () */
    test_check (gst_buffer_memcmp (result, 0, same.data (), same.size ()) == 0, "frame %d has changed", t);
  }
}

TEST (flush)
{
  const ref::Temporal set{ref::Temporal::Average, 5, 0.25, 1};
  const Case c = case_of (GST_VIDEO_FORMAT_GRAY8, set, 500);
  const std::vector<ref::Picture> stream = make_stream (c, 6, 6);
  Link link = open (c);
  push_frames (c, link, make_stream (case_of (GST_VIDEO_FORMAT_GRAY8, set, 501), 4, 4), 0, 4);
  while (const Own buffer = gst_harness_try_pull (link.harness ()))
    ;
  link.flush ();
  push_frames (c, link, stream, 0, 6);
  link.end ();
  check_results (c, link, stream, ref::temporal (stream, set));
}

/* New caps: frames with the old caps come first, unchanged. */
TEST (new_caps)
{
  const ref::Temporal set{ref::Temporal::Average, 5, 0.25, 1};
  Case c = case_of (GST_VIDEO_FORMAT_GRAY8, set, 600);
  Link link = open (c);
  GstHarness *h = link.harness ();
  for (const int width : {35, 48}) {
    c.width = width;
    const std::vector<ref::Picture> stream = make_stream (c, 5, 5);
    gst_harness_set_sink_caps_str (h, "video/x-raw(ANY)");
    gst_harness_set_src_caps_str (h, usual_caps (caps_of (c)).c_str ());
    push_frames (c, link, stream, 0, 5);
    fail_unless (gst_harness_push_event (h, width == 35 ? gst_event_new_gap (0, 0) : gst_event_new_eos ()));
    check_results (c, link, stream, ref::temporal (stream, set));
  }
}

/* With a threshold of 0 every frame begins a scene; above 0, frames that wait must not. */
TEST (new_threshold)
{
  const ref::Temporal set{ref::Temporal::Average, 5, 0.25, 1};
  const Case c = case_of (GST_VIDEO_FORMAT_GRAY8, set, 650);
  const std::vector<ref::Picture> stream = make_stream (c, 8, 8);
  std::vector<ref::Picture> results = ref::temporal (stream, set);
  Link link = open (c);
  link.set ("cltemporal", "threshold", "0");
  push_frames (c, link, stream, 0, 5);
  std::copy_n (stream.begin (), link.results (), results.begin ());
  link.set ("cltemporal", "threshold", "0.25");
  push_frames (c, link, stream, 5, 8);
  link.end ();
  check_results (c, link, stream, results);
}

TEST (latency)
{
  const ref::Temporal set{ref::Temporal::Average, 7, 0.25, 1};
  Case c = case_of (GST_VIDEO_FORMAT_GRAY8, set, 700);
  const std::vector<ref::Picture> stream = make_stream (c, 12, 12);
  Link link = open (c);
  const auto time_of = [] (int frames) { return gst_util_uint64_scale (frames * GST_SECOND, 1, 30); };
  push_frames (c, link, stream, 0, 4);
  ck_assert_uint_eq (link.results (), 1);
  ck_assert_uint_eq (link.latency (), time_of (3));

  /* a smaller reach releases waiting frames, a larger one holds the next ones back; none is lost */
  link.set ("cltemporal", "frames", "3");
  ck_assert_int_eq (link.push (frame_at (c, stream[4], 4)), GST_FLOW_OK);
  ck_assert_uint_eq (link.results (), 4);
  ck_assert_uint_eq (link.latency (), time_of (1));
  link.set ("cltemporal", "frames", "9");
  push_frames (c, link, stream, 5, 9);
  ck_assert_uint_eq (link.results (), 5);
  link.set ("cltemporal", "method", "recursive");
  push_frames (c, link, stream, 9, 12);
  ck_assert_uint_eq (link.results (), 12);
  ck_assert_uint_eq (link.latency (), 0);
  for (int t = 0; t < 12; t++) {
    const Own buffer = link.pull ();
    ck_assert_uint_eq (GST_BUFFER_PTS (buffer), t * frame_time);
  }
}

}  // namespace test::temporal_suite
