/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframerate: pictures between frames equal the reference on every back end; the number of results, and their times. */
#include "reference.hpp"

#include "../../elements/link.hpp"
#include "../motion/behaviour_scene.hpp"

#include <gst/cl/gstclmotionmeta.h>
#include <gst/video/video.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace test::framerate_suite {
static Tests tests ("framerate", Needs::Device);

using namespace motion_scene;

struct Case {
  Shot shot;
  /* of the results, as in caps; inputs have 25 frames per second */
  std::string rate = "50/1";
  ref::Between reference = {};
};

static GstClockTime
time_of (int frame)
{
  return gst_util_uint64_scale_int (frame, GST_SECOND, 25);
}

static std::string
out_caps_of (const Case &c)
{
  std::string caps = caps_of (c.shot);
  return caps.replace (caps.find ("25/1"), 4, c.rate);
}

static void
push (Link &link, const Case &c, int t, GstClockTime pts, GstClockTime duration = time_of (1))
{
  GstBuffer *buffer =
      timed (to_buffer (picture_of (c.shot, t), storages[t % std::size (storages)], caps_of (c.shot)), pts, duration);
  if (t == 0) /* a stream begins, as sources say */
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
}

struct Result {
  GstClockTime pts, duration;
  ref::Picture picture;

  bool operator== (const Result &other) const { return pts == other.pts && duration == other.duration; }
};

/* All available results. */
static std::vector<Result>
pull_all (Link &link, const Case &c)
{
  std::vector<Result> results;
  while (GstBuffer *buffer = gst_harness_try_pull (link.harness ())) {
    results.push_back ({GST_BUFFER_PTS (buffer), GST_BUFFER_DURATION (buffer), from_buffer (buffer, out_caps_of (c))});
    gst_buffer_unref (buffer);
  }
  return results;
}

static void
expect_times (const std::vector<Result> &results, const std::vector<int> &milliseconds)
{
  std::string all;
  for (const Result &result : results)
    all += format (" %" G_GUINT64_FORMAT, gst_util_uint64_scale_round (result.pts, 1, GST_MSECOND));
  std::string wanted;
  for (const int each : milliseconds)
    wanted += format (" %d", each);
  ck_assert_str_eq (all.c_str (), wanted.c_str ());
}

static void
expect_picture (const Result &result, const Case &c, int t, const std::string &what)
{
  expect_same (result.picture, picture_of (c.shot, t), what);
}

static ref::Picture
between (const Case &c, int t, int phase)
{
  ref::Between settings = c.reference;
  settings.phase = phase;
  const ref::Picture a = picture_of (c.shot, t), b = picture_of (c.shot, t + 1);
  if (!c.shot.interlaced)
    return ref::between_frames (a, b, settings);
  ref::Picture woven = a;
  for (const int field : {0, 1})
    ref::weave (woven, ref::between_frames (ref::field_of (a, field), ref::field_of (b, field), settings), field);
  return woven;
}

static const Case cases[] = {
    {{.format = GST_VIDEO_FORMAT_I420, .width = 75, .height = 51}, "60/1"},
    {{.format = GST_VIDEO_FORMAT_RGBA, .width = 50, .height = 40, .step = {.x = 9, .y = 4.5}, .cut = 2}, "100/1"},
    {{.format = GST_VIDEO_FORMAT_P010_10LE, .width = 40, .height = 50, .step = {.zoom = 1.1, .degrees = 4}}},
    {{.format = GST_VIDEO_FORMAT_YUY2, .width = 48, .height = 64, .interlaced = true}},
    {{.format = GST_VIDEO_FORMAT_GRAY8, .settings = "method=blend", .cut = 1}, "100/1", {.still = true}},
    {{.format = GST_VIDEO_FORMAT_NV12, .width = 33, .height = 17, .settings = "scene-threshold=1", .cut = 1}, "50/1",
        {.scene_threshold = 1}},
    {{.format = GST_VIDEO_FORMAT_NV12, .brightness = 0, .brightens = 0.3}, "75/1"},
    {{.format = GST_VIDEO_FORMAT_GRAY16_LE, .width = 200, .height = 130, .brightness = 0.9, .brightens = -0.3}},
};

/* Each result is a frame, or lies between two frames. */
TEST (pictures, std::size (cases))
{
  const Case &c = cases[__i__];
  Link link ("clframerate " + c.shot.settings, caps_of (c.shot), out_caps_of (c));
  constexpr int n = 3;
  for (int t = 0; t < n; t++)
    push (link, c, t, time_of (t));
  link.end ();
  const std::vector<Result> results = pull_all (link, c);
  const int rate = std::stoi (c.rate);
  ck_assert_uint_eq (results.size (), n * rate / 25 + (n * rate % 25 > 0));
  for (size_t i = 0; i < results.size (); i++) {
    const std::string what = format ("%s, result %zu", out_caps_of (c).c_str (), i);
    test_check (results[i].pts == gst_util_uint64_scale_int (i, GST_SECOND, rate), "%s is shown at %" GST_TIME_FORMAT,
        what.c_str (), GST_TIME_ARGS (results[i].pts));
    const int place = int (i) * 25, t = place / rate, phase = (place % rate * 512 + rate) / (2 * rate);
    if (phase == 0 || t + 1 >= n)
      expect_picture (results[i], c, t, what);
    else
      expect_same (results[i].picture, between (c, t, phase), what);
  }
}

static double
mean_of (const ref::Picture &picture)
{
  const std::vector<int> &luma = picture.components[0].value;
  return std::accumulate (luma.begin (), luma.end (), 0.0) / double (luma.size ());
}

/* Motion is found in spite of a fade, and the picture between is as bright as the mean of its neighbours. */
TEST (fades)
{
  const Case c{{.width = 160, .height = 120, .brightness = 0.4, .brightens = 0.05}};
  Link link ("clframerate", caps_of (c.shot), out_caps_of (c));
  for (const int t : {0, 2, 4})
    push (link, c, t, time_of (t / 2));
  link.end ();
  const std::vector<Result> results = pull_all (link, c);
  for (const int i : {1, 3}) {
    const double off = mean_of (results[i].picture) - (mean_of (results[i - 1].picture) + mean_of (results[i + 1].picture)) / 2;
    test_check (std::abs (off) < 0.5, "a picture of a fade is %f levels brighter than its neighbours", off);
    double squares = 0;
    const ref::Picture truth = picture_of (c.shot, i);
    for (int y = 12; y < c.shot.height - 12; y++)
      for (int x = 12; x < c.shot.width - 12; x++)
        squares += std::pow (results[i].picture.components[0].at (x, y) - truth.components[0].at (x, y), 2);
    test_check (squares < 2 * 136 * 96, "a picture of a fade is %f levels off", std::sqrt (squares / (136 * 96)));
  }
}

static const Case plain{{.width = 24, .height = 16}};

/* Gaps, late starts, missing and wrong times, segments, as in videorate. */
TEST (times)
{
  Link link ("clframerate", caps_of (plain.shot), out_caps_of (plain));
  push (link, plain, 0, 60 * GST_MSECOND);
  push (link, plain, 1, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE); /* at 100 */
  push (link, plain, 7, 90 * GST_MSECOND);                         /* dropped */
  fail_unless (gst_harness_push_event (link.harness (), gst_event_new_gap (140 * GST_MSECOND, 100 * GST_MSECOND)));
  push (link, plain, 2, 180 * GST_MSECOND);
  push (link, plain, 3, 460 * GST_MSECOND); /* after a gap of 280 */
  link.end ();
  const std::vector<Result> results = pull_all (link, plain);
  std::vector<int> all;
  for (int i = 0; i < 500; i += 20)
    all.push_back (i);
  expect_times (results, all);
  expect_picture (results[0], plain, 0, "before the first frame");
  expect_picture (results[5], plain, 1, "a frame without a time");
  expect_same (results[7].picture, between (plain, 1, 128), "in a gap");
  for (int i = 9; i < 23; i++)
    expect_picture (results[i], plain, 2, "in a long gap");
  expect_picture (results[24], plain, 3, "the last frame");
}

TEST (flushes)
{
  Link link ("clframerate", caps_of (plain.shot), out_caps_of (plain));
  push (link, plain, 0, 0);
  push (link, plain, 1, time_of (1));
  expect_times (pull_all (link, plain), {0, 20});
  fail_unless (gst_harness_push_event (link.harness (), gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (link.harness (), gst_event_new_flush_stop (TRUE)));
  /* half speed: twice as many pictures per second of the stream, and no more than it has */
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.position = segment.time = time_of (10);
  segment.stop = time_of (12) - 1;
  segment.rate = 0.5;
  fail_unless (gst_harness_push_event (link.harness (), gst_event_new_segment (&segment)));
  push (link, plain, 4, time_of (10));
  push (link, plain, 5, time_of (11));
  link.end ();
  const std::vector<Result> results = pull_all (link, plain);
  expect_times (results, {400, 410, 420, 430, 440, 450, 460, 470});
  for (const int i : {1, 2, 3})
    expect_same (results[i].picture, between (plain, 4, 64 * i), "at half speed");
}

/* Fewer frames: the nearest ones, which videorate chooses, at the same times. */
TEST (repeats, 2)
{
  static const char *const rates[] = {"30/1", "10/1"};
  const Case c{plain.shot, rates[__i__]};
  std::vector<Result> results[2];
  for (const int ours : {0, 1}) {
    Link link (ours ? "clframerate method=repeat" : "videorate", caps_of (c.shot), out_caps_of (c));
    for (int t = 0; t < 12; t++)
      push (link, c, t, time_of (t) + t * 7 % 5 * GST_MSECOND);
    link.end ();
    results[ours] = pull_all (link, c);
  }
  ck_assert_uint_ge (results[1].size () + 1, results[0].size ());
  for (size_t i = 0; i + 1 < results[0].size (); i++) {
    test_check (results[0][i] == results[1][i], "result %zu is shown at %" GST_TIME_FORMAT ", not %" GST_TIME_FORMAT, i,
        GST_TIME_ARGS (results[1][i].pts), GST_TIME_ARGS (results[0][i].pts));
    expect_same (results[1][i].picture, results[0][i].picture, format ("result %zu", i));
  }
}

TEST (reverse)
{
  std::vector<Result> results[2];
  for (const bool backwards : {false, true}) {
    Link link ("clframerate", caps_of (plain.shot), out_caps_of (plain));
    if (backwards)
      link.turn_back ();
    for (int i = 0; i < 4; i++)
      push (link, plain, backwards ? 3 - i : i, time_of (backwards ? 3 - i : i));
    link.end ();
    results[backwards] = pull_all (link, plain);
  }
  std::ranges::reverse (results[1]);
  ck_assert_uint_eq (results[0].size (), 8);
  fail_unless (results[0] == results[1]);
  for (size_t i = 0; i < results[0].size (); i++)
    expect_same (results[1][i].picture, results[0][i].picture, format ("result %zu", i));
}

/* Results are one stream across discontinuities, so only the first one is marked. */
TEST (discontinuities)
{
  Link link ("clframerate", caps_of (plain.shot), out_caps_of (plain));
  for (const int t : {0, 1, 5}) {
    GstBuffer *buffer =
        timed (to_buffer (picture_of (plain.shot, t), Storage::Tight, caps_of (plain.shot)), time_of (t), time_of (1));
    if (t != 1)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
  }
  link.end ();
  for (bool is_first = true; GstBuffer *buffer = gst_harness_try_pull (link.harness ()); is_first = false) {
    ck_assert_int_eq (GST_BUFFER_IS_DISCONT (buffer), is_first);
    gst_buffer_unref (buffer);
  }
}

/* One frame of latency; captions occur once, and time codes count results, whether or not their rate is a multiple. Pictures between
 * frames have the regions of both, and no vectors. */
TEST (metadata, 2)
{
  static const struct {
    const char *rate;
    guint first;
    std::vector<int> captions;
  } cases[] = {{"50/1", 6, {1, 0, 1, 0}}, {"60/1", 8, {1, 0, 0, 1, 0}}};
  const auto &[rate, first, captions] = cases[__i__];
  Link link ("clframerate", caps_of (plain.shot), "video/x-raw");
  GstCaps *caps = gst_caps_from_string (caps_of (plain.shot).c_str ());
  gst_harness_set_sink_caps_str (link.harness (), out_caps_of ({plain.shot, rate}).c_str ());
  for (int t = 0; t < 2; t++) {
    GstBuffer *buffer = to_buffer (picture_of (plain.shot, t), Storage::Tight, caps);
    GST_BUFFER_PTS (buffer) = time_of (t);
    const guint8 caption = 1;
    gst_buffer_add_video_caption_meta (buffer, GST_VIDEO_CAPTION_TYPE_CEA608_RAW, &caption, 1);
    gst_buffer_add_video_time_code_meta_full (buffer, 25, 1, nullptr, GST_VIDEO_TIME_CODE_FLAGS_NONE, 10, 0, 0, 3 + t, 0);
    gst_buffer_add_video_region_of_interest_meta (buffer, "face", 2 + 3 * guint (t), 3, 4, 5);
    const GstClMotionMeta vectors{.vectors = gst_buffer_peek_memory (buffer, 0)};
    gst_cl_motion_meta_add (buffer, &vectors);
    ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
  }
  gst_caps_unref (caps);
  link.set_live (true);
  ck_assert_uint_eq (gst_harness_query_latency (link.harness ()), time_of (1));
  link.end ();
  for (size_t i = 0; i < captions.size (); i++) {
    const Own buffer = link.pull ();
    fail_unless ((gst_buffer_get_video_caption_meta (buffer) != nullptr) == captions[i]);
    ck_assert_uint_eq (gst_buffer_get_video_time_code_meta (buffer)->tc.frames, first + i);
    ck_assert_uint_eq (GST_BUFFER_OFFSET (buffer), i);
    const bool between = GST_BUFFER_PTS (buffer) > 0 && GST_BUFFER_PTS (buffer) < time_of (1);
    ck_assert_uint_eq (gst_buffer_get_n_meta (buffer, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE), between ? 2 : 1);
    ck_assert_uint_eq (gst_buffer_get_n_meta (buffer, gst_cl_motion_meta_api_get_type ()), between ? 0 : 1);
  }
}

TEST (no_rate)
{
  const Case free{plain.shot, "0/1"};
  Link link ("clframerate", caps_of (free.shot), out_caps_of (free));
  for (int t = 0; t < 3; t++)
    push (link, free, t, time_of (t) + t);
  const std::vector<Result> results = pull_all (link, free);
  ck_assert_uint_eq (results.size (), 3);
  for (int t = 0; t < 3; t++)
    ck_assert_uint_eq (results[t].pts, time_of (t) + t);
}

/* Results join each other when the rate changes, also from none. */
TEST (rate_changes, 2)
{
  static const char *const first[] = {"50/1", "0/1"};
  Link link ("clframerate", caps_of (plain.shot), out_caps_of ({plain.shot, first[__i__]}));
  for (int t = 0; t < 8; t++) {
    push (link, plain, t, time_of (t));
    if (t == 3)
      gst_harness_set_sink_caps_str (link.harness (), out_caps_of ({plain.shot, "30/1"}).c_str ());
  }
  link.end ();
  const std::vector<Result> results = pull_all (link, plain);
  GstClockTime next = 0;
  for (const Result &result : results) {
    test_check (
        result.pts == next, "%" GST_TIME_FORMAT " follows %" GST_TIME_FORMAT, GST_TIME_ARGS (result.pts), GST_TIME_ARGS (next));
    next = result.pts + result.duration;
  }
  ck_assert_uint_ge (next, time_of (8) - 1);
}

/* Results that a sink would drop are not made, though the frames that they wait for are in time. */
TEST (late_results)
{
  Link link ("clframerate", caps_of (plain.shot), out_caps_of (plain));
  const GstClockTimeDiff late = 100 * GST_MSECOND; /* of a frame at 0, so the next one in time is at 200 */
  gst_harness_push_upstream_event (link.harness (), gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2, late, 0));
  for (int t = 0; t < 7; t++)
    push (link, plain, t, time_of (t));
  expect_times (pull_all (link, plain), {200, 220});
}

/* In a stream that has begun before, the first frame does not stand for the time before it. */
TEST (joins_stream)
{
  Link link ("clframerate", caps_of (plain.shot), out_caps_of (plain));
  push (link, plain, 5, time_of (5));
  push (link, plain, 6, time_of (6));
  expect_times (pull_all (link, plain), {200, 220});
}

/* Each stream has a result, even if its only frame is shorter than the tolerance for times. */
TEST (short_frame)
{
  Link link ("clframerate", caps_of (plain.shot), out_caps_of (plain));
  push (link, plain, 0, 0, GST_MSECOND);
  link.end ();
  expect_times (pull_all (link, plain), {0});
}

}  // namespace test::framerate_suite
