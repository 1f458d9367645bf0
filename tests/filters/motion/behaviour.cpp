/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmotion: vectors equal the reference's on every back end, and match known motions; cuts are found; overlays. And
 * cltemporal's averages along motion. */
#include "../../elements/link.hpp"
#include "behaviour_scene.hpp"

#include <gst/cl/gstclmotionmeta.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace test::motion_suite {
static Tests tests ("motion", Needs::Device), averages_tests ("motion_averages", Needs::Device);

using namespace motion_scene;

constexpr GstClockTime frame_time = GST_SECOND / 25;

struct Result {
  std::vector<ref::Picture> in, out;
  /* key: frame and distance */
  std::map<std::pair<int, int>, ref::MotionField> fields;
};

static ref::MotionField
read (const GstClMotionMeta *meta)
{
  GstMapInfo map;
  fail_unless (gst_memory_map (meta->vectors, &map, GST_MAP_READ));
  const auto *from = reinterpret_cast<const GstClMotionField *> (map.data);
  ck_assert_uint_eq (from->columns, meta->columns);
  ck_assert_uint_eq (from->rows, meta->rows);
  ref::MotionField field{from->scene_cut != 0, int (meta->columns), int (meta->rows), int (meta->step_x), {}};
  for (guint i = 0; i < meta->columns * meta->rows; i++) {
    const GstClMotionVector &v = from->vectors[i];
    field.vectors.push_back ({v.x, v.y, v.sad, v.confidence});
  }
  gst_memory_unmap (meta->vectors, &map);
  return field;
}

static Result
play (const Shot &shot, int n, bool backwards = false)
{
  Result result;
  Link link ("clmotion " + shot.settings, caps_of (shot));
  if (backwards)
    link.turn_back ();
  for (int i = 0; i < n; i++) {
    const int t = backwards ? n - 1 - i : i;
    result.in.push_back (picture_of (shot, t));
    GstBuffer *buffer =
        timed (to_buffer (result.in.back (), storages[t % std::size (storages)], caps_of (shot)), t * frame_time, frame_time);
    ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
  }
  link.end ();
  for (int i = 0; i < n; i++) {
    const Own buffer = link.pull ();
    const int t = int (GST_BUFFER_PTS (buffer) / frame_time);
    ck_assert_int_eq (t, backwards ? n - 1 - i : i);
    result.out.push_back (from_buffer (buffer, caps_of (shot)));
    for (const int distance : {-1, 1})
      if (const GstClMotionMeta *meta = gst_cl_motion_meta_get (buffer, distance))
        result.fields[{t, distance}] = read (meta);
  }
  return result;
}

static void
expect_field (const ref::MotionField &is, const ref::MotionField &should, const std::string &what)
{
  test_check (is.columns == should.columns && is.rows == should.rows && is.step == should.step && is.cut == should.cut,
      "%s: %dx%d blocks, step %d, cut %d, not %dx%d, %d, %d", what.c_str (), is.columns, is.rows, is.step, is.cut,
      should.columns, should.rows, should.step, should.cut);
  for (size_t i = 0; i < should.vectors.size (); i++) {
    const ref::MotionVector &a = is.vectors[i], &b = should.vectors[i];
    test_check (a == b, "%s: block %zu of %zu is (%d, %d) %d %d, not (%d, %d) %d %d", what.c_str (), i, should.vectors.size (),
        a.x, a.y, a.sad, a.confidence, b.x, b.y, b.sad, b.confidence);
  }
}

/* Of the blocks that lie inside both pictures, the percentage within a quarter pixel of the motion. */
static double
hits (const Shot &shot, const ref::MotionField &field, int distance)
{
  int n = 0, hit = 0;
  const int block = shot.reference.block;
  for (int i = 0; i < field.columns * field.rows; i++) {
    const Point middle{i % field.columns * field.step + block / 2.0 - shot.width / 2.0,
        i / field.columns * field.step + block / 2.0 - shot.height / 2.0};
    const Point there = moved (shot.step, middle, distance);
    const auto inside = [&] (Point p) {
      return std::abs (p.x) + block / 2.0 + 1 < shot.width / 2.0 && std::abs (p.y) + block / 2.0 + 1 < shot.height / 2.0;
    };
    if (!inside (middle) || !inside (there))
      continue;
    n++;
    hit += std::abs (field.vectors[i].x / 4.0 - there.x + middle.x) <= 0.25 + 1e-9
           && std::abs (field.vectors[i].y / 4.0 - there.y + middle.y) <= 0.25 + 1e-9;
  }
  return 100.0 * hit / n;
}

static const Shot shots[] = {
    {.settings = "direction=both"},
    {.format = GST_VIDEO_FORMAT_RGBA,
        .settings = "direction=both block-size=8 overlap=0.25",
        .reference = {.block = 8, .overlap = 0.25}},
    {.format = GST_VIDEO_FORMAT_P010_10LE, .settings = "direction=both", .cut = 2},
    {.format = GST_VIDEO_FORMAT_YUY2, .settings = "direction=forward precision=half", .reference = {.precision = 2}},
    {.format = GST_VIDEO_FORMAT_I420,
        .width = 101,
        .height = 67,
        .settings = "block-size=32 overlap=0 precision=pixel levels=2",
        .reference = {.block = 32, .overlap = 0, .precision = 4, .levels = 2}},
    {.format = GST_VIDEO_FORMAT_GRAY16_LE, .width = 7, .height = 3, .settings = "direction=both scene-threshold=0"},
};

TEST (vectors, std::size (shots))
{
  Shot shot = shots[__i__];
  if (shot.settings.find ("scene-threshold=0") != std::string::npos)
    shot.reference.scene_threshold = 0;
  const Result result = play (shot, 3);
  const bool backward = shot.settings.find ("forward") == std::string::npos;
  const bool forward = !backward || shot.settings.find ("both") != std::string::npos;
  size_t n = 0;
  for (int t = 0; t < 3; t++) {
    std::vector<const ref::Picture *> others;
    std::vector<int> distances;
    for (const int distance : {-1, 1})
      if ((distance < 0 ? backward : forward) && t + distance >= 0 && t + distance < 3) {
        others.push_back (&result.in[t + distance]);
        distances.push_back (distance);
      }
    const std::vector<ref::MotionField> fields = ref::find_motion (result.in[t], others, shot.reference);
    for (size_t i = 0; i < fields.size (); i++, n++)
      expect_field (result.fields.at ({t, distances[i]}), fields[i],
          format ("%s, frame %d, %d", caps_of (shot).c_str (), t, distances[i]));
    expect_same (result.out[t], result.in[t], "a frame that passes");
  }
  ck_assert_uint_eq (result.fields.size (), n);
}

TEST (known_motions, 4)
{
  static const Step steps[] = {{.x = 3.3, .y = -1.6}, {.x = -31, .y = 22.4}, {.zoom = 1.03}, {.zoom = 0.98, .degrees = 1.5}};
  const Shot shot{.format = __i__ % 2 ? GST_VIDEO_FORMAT_P010_10LE : GST_VIDEO_FORMAT_GRAY8,
      .width = 320,
      .height = 240,
      .settings = "direction=both",
      .step = steps[__i__]};
  const Result result = play (shot, 2);
  for (const auto &[key, field] : result.fields) {
    const double found = hits (shot, field, key.second);
    test_check (found >= 99, "%g %g %g %g: %.2f %% of blocks within a quarter pixel", shot.step.x, shot.step.y, shot.step.zoom,
        shot.step.degrees, found);
    fail_if (field.cut);
  }
  ck_assert_uint_eq (result.fields.size (), 2);
}

/* The frames before and after a cut are unrelated. */
TEST (cuts)
{
  const Shot shot{.width = 160, .height = 120, .settings = "direction=both", .cut = 2};
  const Result result = play (shot, 4);
  for (const auto &[key, field] : result.fields) {
    const bool is_cut = std::min (key.first, key.first + key.second) == 1;
    test_check (field.cut == is_cut, "frame %d, %d: cut %d", key.first, key.second, field.cut);
    for (const ref::MotionVector &v : field.vectors)
      fail_if (is_cut && v.confidence > 0);
  }
}

/* In reverse, frames have the vectors of forward playback. */
TEST (backwards, 2)
{
  const Shot shot{.settings = __i__ ? "direction=both" : ""};
  const Result forward = play (shot, 4), reverse = play (shot, 4, true);
  ck_assert_uint_eq (forward.fields.size (), __i__ ? 6 : 3);
  ck_assert_uint_eq (reverse.fields.size (), forward.fields.size ());
  for (const auto &[key, field] : forward.fields)
    expect_field (reverse.fields.at (key), field, format ("frame %d, %d", key.first, key.second));
}

/* Both fields have the upper field's vectors; a row of it is two rows of the frame. */
TEST (fields)
{
  Shot shot{.height = 144, .interlaced = true};
  const Result result = play (shot, 2);
  const ref::Picture fields[] = {ref::field_of (result.in[0], 0), ref::field_of (result.in[1], 0)};
  ref::MotionField should = ref::find_motion (fields[1], {&fields[0]}, {}).front ();
  for (ref::MotionVector &v : should.vectors)
    v.y *= 2;
  expect_field (result.fields.at ({1, -1}), should, "interlaced");
}

/* Half the picture and half its blocks' confidence, or white lines. */
TEST (overlays)
{
  const Result confidence = play ({.settings = "overlay=confidence"}, 2), lines = play ({.settings = "overlay=vectors"}, 2);
  const ref::MotionField &field = confidence.fields.at ({1, -1});
  const ref::Component &in = confidence.in[1].components[0], &out = confidence.out[1].components[0];
  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++) {
      const auto block_at = [] (int i, int n) { return std::clamp ((i - 4) / 8, 0, n - 1); };
      const int c = field.vectors[block_at (y, field.rows) * field.columns + block_at (x, field.columns)].confidence;
      const int should = (in.at (x, y) + (c * 235 >> 8)) / 2, full = (in.at (x, y) + (c * 255 >> 8)) / 2;
      test_check (out.at (x, y) == should || out.at (x, y) == full, "(%d, %d) is %d, not %d", x, y, out.at (x, y), should);
    }
  const ref::Component &drawn = lines.out[1].components[0];
  int changed = 0;
  for (size_t i = 0; i < drawn.value.size (); i++) {
    fail_unless (drawn.value[i] == in.value[i] || drawn.value[i] == 235 || drawn.value[i] == 255);
    changed += drawn.value[i] != in.value[i];
  }
  for (int i = 0; i < field.columns * field.rows; i++)
    if (i % field.columns % 2 == 0 && i / field.columns % 2 == 0)
      fail_unless (drawn.at (i % field.columns * 8 + 8, i / field.columns * 8 + 8) >= 235);
  /* vectors of (-2.5, 1.25) */
  test_check (changed > 60 && changed < 200, "%d samples are drawn", changed);
}

/* cltemporal's methods along motion against the reference: whole frames, fields, a cut, both ends. */
struct Averages {
  Shot shot;
  ref::MotionAverage reference;
};

static void
check_averages (const Averages &what, const char *method, unsigned seed, bool running)
{
  const auto &[shot, reference] = what;
  constexpr int n = 4;
  Link link (format ("cltemporal method=%s %s", method, shot.settings.c_str ()), caps_of (shot));
  std::vector<ref::Picture> in, fields[2];
  Random noise{seed};
  for (int t = 0; t < n; t++) {
    in.push_back (picture_of (shot, t));
    for (ref::Component &component : in.back ().components)
      for (int &v : component.value)
        v = std::clamp (v + noise.between (-6, 6) * (in.back ().max () + 1) / 256, 0, in.back ().max ());
    for (const int field : {0, 1})
      fields[field].push_back (ref::field_of (in.back (), field));
    GstBuffer *buffer =
        timed (to_buffer (in.back (), storages[t % std::size (storages)], caps_of (shot)), t * frame_time, frame_time);
    ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
    if (running)
      ck_assert_uint_eq (link.results (), t + 1);
  }
  link.end ();
  const auto results = [&] (const std::vector<ref::Picture> &stream) {
    if (running)
      return ref::run_along_motion (stream, reference);
    std::vector<ref::Picture> all;
    for (int t = 0; t < n; t++)
      all.push_back (ref::average_along_motion (stream, t, reference));
    return all;
  };
  std::vector<ref::Picture> should = shot.interlaced ? in : results (in);
  for (const int field : {0, 1})
    if (shot.interlaced)
      for (int t = 0; const ref::Picture &each : results (fields[field]))
        ref::weave (should[t++], each, field);
  for (int t = 0; t < n; t++) {
    const Own buffer = link.pull ();
    expect_same (from_buffer (buffer, caps_of (shot)), should[t], format ("%s, frame %d", caps_of (shot).c_str (), t));
  }
}

TEST_IN (averages_tests, averages, 4)
{
  static const Averages cases[] = {
      {{.format = GST_VIDEO_FORMAT_I420, .width = 75, .height = 51, .settings = "frames=5 chroma-limit=0.01"},
          {.chroma_limit = 0.01}},
      {{.format = GST_VIDEO_FORMAT_RGBA, .width = 50, .height = 40, .settings = "frames=3 strength=0.7", .cut = 2},
          {.frames = 3, .strength = 0.7}},
      {{.format = GST_VIDEO_FORMAT_P010_10LE, .width = 40, .height = 50, .settings = "frames=33 threshold=0.02 limit=0.007"},
          {.frames = 33, .threshold = 0.02, .limit = 0.007}},
      {{.format = GST_VIDEO_FORMAT_YUY2, .width = 48, .height = 64, .settings = "frames=3", .interlaced = true}, {.frames = 3}},
  };
  check_averages (cases[__i__], "motion", unsigned (__i__), false);
}

TEST_IN (averages_tests, running, 4)
{
  static const Averages cases[] = {
      {{.format = GST_VIDEO_FORMAT_I420, .width = 75, .height = 51, .settings = "threshold=0.05"}, {.threshold = 0.05}},
      {{.format = GST_VIDEO_FORMAT_RGBA, .width = 50, .height = 40, .settings = "frames=8 strength=0.7 limit=0.02", .cut = 2},
          {.frames = 8, .strength = 0.7, .limit = 0.02}},
      {{.format = GST_VIDEO_FORMAT_P016_LE, .width = 40, .height = 50, .settings = "frames=33 chroma-limit=0.003"},
          {.frames = 33, .chroma_limit = 0.003}},
      {{.format = GST_VIDEO_FORMAT_YUY2, .width = 48, .height = 64, .settings = "frames=3", .interlaced = true}, {.frames = 3}},
  };
  check_averages (cases[__i__], "motion-recursive", unsigned (__i__), true);
}

}  // namespace test::motion_suite
