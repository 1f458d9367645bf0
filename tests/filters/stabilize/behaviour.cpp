/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clstabilize: finds known motions, moves frames as its messages say, and handles cuts and the stream's ends. */
#include "../../elements/frames.hpp"
#include "../../elements/gl.hpp"
#include "../../elements/link.hpp"
#include "behaviour_scene.hpp"
#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace test::stabilize_suite {
static Tests tests ("stabilize", Needs::Device);

using namespace test::stabilize_scene;

constexpr GstClockTime frame_time = GST_SECOND / 25;
constexpr double degrees = 180 / std::numbers::pi;

/* clstabilize's message about a frame. */
struct Motion {
  guint64 frame;
  GstClockTime timestamp;
  ref::Correction path, correction;
  double confidence;
};

/* The camera: the position of the scene in the middle of the picture, and the rotation. */
struct Camera {
  double x, y, angle;
};

struct Shot {
  GstVideoFormat format = GST_VIDEO_FORMAT_GRAY8;
  int width = 160, height = 120;
  std::string settings = "smoothing=4";
  ref::Stabilize reference = {.crop = 0.1};
  /* from this frame on, another scene is shown */
  int cut = G_MAXINT;
  /* the share of the width that a differently moving object covers */
  double subject = 0;
  /* strength of the shake: 0 for a tripod */
  double shake = 1;
  /* noisy stripes of this width and angle in degrees, in place of the scene */
  double stripes = 0, stripe_angle = 0;
  /* of mixed video, every second frame of which is interlaced */
  bool mixed = false;
};

/* The shake of a hand, and a slow pan. */
static Camera
camera_at (int t, double shake = 1)
{
  return {shake * (1.7 * std::sin (2.1 * t) + 0.9 * std::cos (5.3 * t) + 0.4 * t),
      shake * (1.5 * std::sin (1.7 * t + 1) - 0.8 * std::cos (4.1 * t)), shake * 0.6 * std::sin (2.6 * t + 2)};
}

static double
striped (double x, double y, const Shot &shot, int t)
{
  const double angle = shot.stripe_angle / degrees, across = std::cos (angle) * x + std::sin (angle) * y;
  return (std::fmod (across + 1000 * shot.stripes, 2 * shot.stripes) < shot.stripes ? 0.3 : 0.7)
         + 0.02 * lattice (int (x), int (y), unsigned (900 + t));
}

static ref::Picture
picture_of (const Shot &shot, int t)
{
  ref::Picture picture = ref::make_picture (shot.format, shot.width, shot.height);
  const Camera camera = camera_at (t, shot.shake);
  const double c = std::cos (camera.angle / degrees), s = std::sin (camera.angle / degrees);
  for (ref::Component &component : picture.components) {
    const unsigned seed = (t >= shot.cut ? 50 : 0) + (component.is_chroma () ? unsigned (component.name) : 1);
    const double first_x = shot.reference.cosited ? 0.5 : component.sub_x / 2.0;
    for (int y = 0; y < component.height; y++)
      for (int x = 0; x < component.width; x++) {
        const double u = first_x + x * component.sub_x - shot.width / 2.0;
        const double v = (y + 0.5) * component.sub_y - shot.height / 2.0;
        const bool covered = std::abs (u) < shot.subject * shot.width / 2 && std::abs (v) < shot.subject * shot.height / 2;
        const double value = shot.stripes ? striped (u, v, shot, t)
                             : covered    ? scene (u + 3 * t, v, seed + 7)
                                          : scene (c * u - s * v + camera.x + 500, s * u + c * v + camera.y + 500, seed);
        component.at (x, y) = int (std::nearbyint (value * picture.max ()));
      }
  }
  return picture;
}

static std::string
caps_of (const Shot &shot)
{
  return format ("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1%s%s", gst_video_format_to_string (shot.format),
      shot.width, shot.height, shot.reference.cosited ? ",chroma-site=mpeg2" : ",chroma-site=jpeg",
      shot.mixed                  ? ",interlace-mode=mixed"
      : shot.reference.interlaced ? ",interlace-mode=interleaved"
                                  : "");
}

static double
number_in (const GstStructure *content, const char *field)
{
  double value;
  test_check (gst_structure_get_double (content, field, &value), "no %s in the message", field);
  return value;
}

static std::vector<Motion>
take_reports (GstBus *bus)
{
  std::vector<Motion> reports;
  while (GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT)) {
    const GstStructure *content = gst_message_get_structure (message);
    Motion report{};
    if (gst_structure_has_name (content, "clstabilize")) {
      fail_unless (gst_structure_get_uint64 (content, "frame", &report.frame)
                   && gst_structure_get_clock_time (content, "timestamp", &report.timestamp));
      report.path = {number_in (content, "shift-x"), number_in (content, "shift-y"), number_in (content, "angle")};
      report.correction = {
          number_in (content, "correction-x"), number_in (content, "correction-y"), number_in (content, "correction-angle")};
      report.confidence = number_in (content, "confidence");
      reports.push_back (report);
    }
    gst_message_unref (message);
  }
  return reports;
}

/* The motion between two frames: rotates a point X, then moves it. */
static ref::Correction
step_between (const ref::Correction &a, const ref::Correction &b)
{
  const double angle = (b.angle - a.angle) / degrees, c = std::cos (angle), s = std::sin (angle);
  return {b.x - (c * a.x - s * a.y), b.y - (s * a.x + c * a.y), b.angle - a.angle};
}

/* The correction for a camera's picture. */
static ref::Correction
path_of (const Camera &camera)
{
  const double c = std::cos (camera.angle / degrees), s = std::sin (camera.angle / degrees);
  return {-(c * camera.x + s * camera.y), -(-s * camera.x + c * camera.y), -camera.angle};
}

struct Result {
  std::vector<ref::Picture> in, out;
  std::vector<Motion> reports;
};

/* event: sent, or set as a flag, before frame `at`. */
enum class Event {
  Discont = int (Interruption::Discont),
  Gap = int (Interruption::Gap),
  Flush = int (Interruption::Flush),
  Backwards,
  None
};

static Result
play (const Shot &shot, int n, Event event = Event::None, int at = 0)
{
  Result result;
  Link link ("clstabilize " + shot.settings, caps_of (shot));
  GstHarness *h = link.harness ();
  const bool backwards = event == Event::Backwards;
  if (backwards)
    link.turn_back ();
  for (int i = 0; i < n; i++) {
    const int t = backwards ? n - 1 - i : i;
    result.in.push_back (picture_of (shot, t));
    GstBuffer *buffer =
        timed (to_buffer (result.in.back (), storages[t % std::size (storages)], caps_of (shot)), t * frame_time, frame_time);
    if (shot.mixed && t % 2)
      GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF);
    if (t == at && !backwards && event != Event::None)
      interrupt (link, Interruption (event), buffer);
    ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
  }
  link.end ();
  for (guint left = gst_harness_buffers_in_queue (h); left; left--) {
    const Own buffer = link.pull ();
    const size_t i = result.out.size ();
    if (event != Event::Flush)
      ck_assert_uint_eq (GST_BUFFER_PTS (buffer), (backwards ? n - 1 - i : i) * frame_time);
    result.out.push_back (from_buffer (buffer, caps_of (shot)));
  }
  result.reports = take_reports (link.bus ());
  if (event != Event::Flush)
    ck_assert_uint_eq (result.out.size (), n);
  return result;
}

/* Every frame is moved as its message says. */
static void
check_pictures (const Shot &shot, const Result &result, int tolerance)
{
  ck_assert_uint_eq (result.reports.size (), result.in.size ());
  for (size_t t = 0; t < result.in.size (); t++) {
    const Motion &report = result.reports[t];
    ck_assert_uint_eq (report.frame, t);
    ck_assert_uint_eq (report.timestamp, t * frame_time);
    expect_same (result.out[t], ref::stabilized (result.in[t], report.correction, shot.reference),
        format ("%s, frame %zu", caps_of (shot).c_str (), t), tolerance);
  }
}

static void
check_steps (const Result &result, double near, double near_angle, int from = 0, double shake = 1)
{
  for (size_t t = from + 1; t < result.reports.size (); t++) {
    const ref::Correction is = step_between (result.reports[t - 1].path, result.reports[t].path);
    const ref::Correction should = step_between (path_of (camera_at (t - 1, shake)), path_of (camera_at (t, shake)));
    test_check (std::hypot (is.x - should.x, is.y - should.y) < near && std::abs (is.angle - should.angle) < near_angle,
        "frame %zu: step %.3f %.3f %.3f, not %.3f %.3f %.3f", t, is.x, is.y, is.angle, should.x, should.y, should.angle);
    test_check (result.reports[t].confidence > 0.2, "frame %zu: confidence %.3f", t, result.reports[t].confidence);
  }
}

static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_GRAY16_LE};

/* Compares the reported motions and the pictures. At 16 bits an error of a millionth of a pixel in a position changes samples. */
TEST (motions, std::size (formats), 2)
{
  Shot shot{.format = formats[__i__]};
  shot.reference.cosited = __i__ % 2;
  const Result result = play (shot, 9);
  check_steps (result, 0.08, 0.08);
  check_pictures (shot, result, shot.format == GST_VIDEO_FORMAT_GRAY16_LE ? 3 : 1);
}

/* After the correction, frames move like a path without shake. */
TEST (smoothness)
{
  const Result result = play ({}, 14);
  double before = 0, after = 0;
  const auto bend = [&] (int t, bool corrected) {
    ref::Correction p[3];
    for (int i = 0; i < 3; i++) {
      const Motion &report = result.reports[t - 1 + i];
      p[i] = report.path;
      if (corrected)
        p[i] = {p[i].x + report.correction.x, p[i].y + report.correction.y, p[i].angle + report.correction.angle};
    }
    return std::hypot (p[0].x - 2 * p[1].x + p[2].x, p[0].y - 2 * p[1].y + p[2].y)
           + std::abs (p[0].angle - 2 * p[1].angle + p[2].angle);
  };
  for (int t = 4; t < 10; t++) {
    before += bend (t, false);
    after += bend (t, true);
  }
  test_check (after < before / 4, "bends by %.2f, of %.2f before", after, before);
}

TEST (subjects)
{
  check_steps (play ({.width = 320, .height = 240, .subject = 0.5}, 6), 0.15, 0.08);
}

/* Motion along stripes is not visible, so it counts as none. */
TEST (stripes)
{
  for (const double angle : {0.0, 90.0, 30.0})
    for (const double width : {6.0, 20.0}) {
      const Shot shot{.width = 320, .height = 240, .shake = 0, .stripes = width, .stripe_angle = angle};
      for (const Motion &report : play (shot, 6).reports)
        test_check (std::hypot (report.path.x, report.path.y) < 0.3 && std::abs (report.path.angle) < 0.1,
            "stripes of %g, %g degrees, frame %d: path %.3f %.3f %.3f", width, angle, int (report.frame), report.path.x,
            report.path.y, report.path.angle);
    }
}

/* Steps of up to 25 pixels and 7 degrees. */
TEST (far)
{
  constexpr double shake = 6;
  const Shot shot{.width = 320, .height = 240, .settings = "smoothing=0", .shake = shake};
  check_steps (play (shot, 12), 0.3, 0.1, 0, shake);
}

TEST (cuts)
{
  const Result result = play ({.cut = 5}, 10);
  test_check (result.reports[5].confidence < 0.1, "confidence %.3f at the cut", result.reports[5].confidence);
  for (const int t : {0, 5})
    fail_unless (result.reports[t].path.x == 0 && result.reports[t].path.y == 0 && result.reports[t].path.angle == 0);
  check_steps ({.in = {}, .out = {}, .reports = {result.reports.begin (), result.reports.begin () + 5}}, 0.08, 0.08);
  check_steps (result, 0.08, 0.08, 5);
  /* frames before it are corrected as if the stream ended there */
  const Result first = play ({}, 5);
  for (int t = 0; t < 5; t++)
    fail_unless (std::abs (result.reports[t].correction.x - first.reports[t].correction.x) < 1e-3);
}

TEST (interruptions, 3)
{
  const auto event = Event (__i__ + 1);
  const Result result = play ({}, 10, event, 6);
  const auto restart = std::ranges::find (result.reports, 6 * frame_time, &Motion::timestamp);
  fail_unless (restart != result.reports.end ());
  fail_unless (restart->confidence == 0 && restart->path.x == 0 && restart->path.angle == 0);
  ck_assert_uint_eq (result.reports.end () - restart, 4);
}

/* The pictures of forward playback. */
TEST (backwards)
{
  const Shot shot{.cut = 7};
  const Result forwards = play (shot, 10), backwards = play (shot, 10, Event::Backwards);
  for (size_t t = 0; t < 10; t++) {
    expect_same (backwards.out[9 - t], forwards.out[t], format ("frame %zu", t));
    const ref::Correction &is = backwards.reports[9 - t].correction, &should = forwards.reports[t].correction;
    fail_unless (is.x == should.x && is.y == should.y && is.angle == should.angle);
    fail_unless (backwards.reports[9 - t].confidence == forwards.reports[t].confidence);
  }
}

/* Without a crop, the border rule fills the outside; fields are frames of half the rows. */
TEST (borders, 5)
{
  static const char *const names[] = {"replicate", "reflect", "reflect101", "wrap", "constant"};
  Shot shot{.format = GST_VIDEO_FORMAT_NV12, .width = 90, .height = 66};
  shot.settings = format ("smoothing=3 crop=0 border=%s", names[__i__]);
  shot.reference = {.crop = 0, .border = {.rule = ref::Border::Rule (__i__)}};
  check_pictures (shot, play (shot, 6), 1);
}

/* Alpha moves with the picture, in a plane of its own, too. */
TEST (alpha)
{
  const Shot shot{.format = GST_VIDEO_FORMAT_A420};
  check_pictures (shot, play (shot, 4), 1);
}

TEST (fields)
{
  Shot shot{.format = GST_VIDEO_FORMAT_I420};
  shot.reference.interlaced = true;
  const Result result = play (shot, 6);
  check_steps (result, 0.2, 0.2);
  check_pictures (shot, result, 1);
}

/* The path goes on when fields follow whole frames. */
TEST (mixed)
{
  Shot shot{.format = GST_VIDEO_FORMAT_I420};
  shot.mixed = true;
  check_steps (play (shot, 6), 0.2, 0.2);
}

/* The limits hold, and with a crop nothing outside the picture is visible, whatever the limits. */
TEST (limits)
{
  for (const Motion &report : play ({.settings = "smoothing=4 max-shift=0.005 max-angle=0.1 crop=0"}, 9).reports) {
    fail_unless (std::abs (report.correction.x) <= 0.8001 && std::abs (report.correction.y) <= 0.6001);
    fail_unless (std::abs (report.correction.angle) <= 0.1001);
  }
  const Result result = play ({.settings = "smoothing=4 crop=0.01 border=constant border-value=1"}, 9);
  for (const ref::Picture &picture : result.out)
    test_check (*std::ranges::max_element (picture.components[0].value) < 250, "the border shows");
}

TEST (neutral)
{
  const Result result = play ({.format = GST_VIDEO_FORMAT_NV12, .settings = "smoothing=0"}, 4);
  for (size_t t = 0; t < result.in.size (); t++)
    expect_same (result.out[t], result.in[t], "smoothing=0");
  check_steps (result, 0.08, 0.08);
}

TEST (sizes)
{
  static const int sizes[][2] = {{1, 1}, {3, 2}, {17, 300}, {2000, 9}, {63, 65}};
  for (const auto &[width, height] : sizes) {
    const Shot shot{.width = width, .height = height};
    check_pictures (shot, play (shot, 4), 1);
  }
}

/* A still picture is only enlarged. Regions mark other pixels then, so they are dropped. The first pointer begins reports. */
TEST (places)
{
  Link link ("clstabilize smoothing=1", "video/x-raw,format=GRAY8,width=101,height=61,framerate=30/1");
  const auto push = [&] {
    GstBuffer *in = gst_buffer_new_allocate (nullptr, 104 * 61, nullptr);
    gst_buffer_memset (in, 0, 100, 104 * 61);
    gst_buffer_add_video_region_of_interest_meta (in, "face", 2, 3, 4, 5);
    ck_assert_int_eq (link.push (in), GST_FLOW_OK);
  };
  push ();
  push ();
  const Own out = link.pull ();
  ck_assert_int_eq (gst_buffer_get_n_meta (out, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE), 0);
  const auto is_at_corner = [&] {
    const auto [x, y] = link.pointer_from (0, 60);
    test_check (std::abs (x - 5) < 0.01 && std::abs (y - 57) < 0.01, "the pointer comes from %g, %g", x, y);
  };
  is_at_corner ();
  push ();
  link.end ();
  const Own stats = stats_of (link.element ("clstabilize"));
  ck_assert (gst_structure_has_field (stats, "correction-x"));
  is_at_corner ();
}

TEST (latency)
{
  Link link ("clstabilize smoothing=3 interval=2", caps_of (Shot{}));
  const auto push = [&] (int t) {
    GstBuffer *buffer = to_buffer (picture_of (Shot{}, t), Storage::Tight, caps_of (Shot{}));
    GST_BUFFER_PTS (buffer) = t * frame_time;
    ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
  };
  push (0);
  fail_if (stat_text (link.element ("clstabilize"), "algorithm").empty ()); /* analysed as it comes */
  for (int t = 1; t < 5; t++)
    push (t);
  ck_assert_uint_eq (link.results (), 2);
  ck_assert_uint_eq (link.latency (), 3 * frame_time);
  ck_assert_uint_eq (stat (link.element ("clstabilize"), "frames"), 2);
  link.set ("clstabilize", "smoothing", "1");
  push (5);
  ck_assert_uint_eq (link.results (), 5);
  link.set ("clstabilize", "smoothing", "5");
  for (int t = 6; t < 12; t++)
    push (t);
  ck_assert_uint_eq (link.results (), 7);
  ck_assert_uint_eq (link.latency (), 5 * frame_time);
  link.end ();
  ck_assert_uint_eq (link.results (), 12);
  const std::vector<Motion> reports = take_reports (link.bus ());
  ck_assert_uint_eq (reports.size (), 6);
  for (size_t i = 0; i < reports.size (); i++)
    ck_assert_uint_eq (reports[i].frame, 2 * i);
}

}  // namespace test::stabilize_suite
