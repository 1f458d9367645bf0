/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clcompare: its measures against the reference, over formats and kinds of memory; frames pass unchanged; streams of different
 * rates and lengths; messages; incompatible inputs. */
#include "../../elements/inputs.hpp"
#include "reference.hpp"

namespace test::compare_suite {

static Tests tests ("compare", Needs::DeviceOrGL);

constexpr GstClockTime frame_time = GST_SECOND / 30;
constexpr GstVideoFormat gray = GST_VIDEO_FORMAT_GRAY8;

/* The structure of one message. */
class Measures {
public:
  explicit Measures (const GstStructure *from) : content (gst_structure_copy (from)) {}
  Measures (const Measures &other) : content (gst_structure_copy (other.content)) {}
  ~Measures () { gst_structure_free (content); }

  bool has (const std::string &field) const { return gst_structure_has_field (content, field.c_str ()); }
  double number (const std::string &field) const
  {
    double value = 0;
    test_check (
        gst_structure_get_double (content, field.c_str (), &value), "no double %s: %" GST_PTR_FORMAT, field.c_str (), content);
    return value;
  }
  guint64 count (const char *field) const
  {
    guint64 value = 0;
    test_check (gst_structure_get_uint64 (content, field, &value), "no guint64 %s: %" GST_PTR_FORMAT, field, content);
    return value;
  }
  bool final () const
  {
    gboolean value = FALSE;
    test_check (gst_structure_get_boolean (content, "final", &value), "no boolean final: %" GST_PTR_FORMAT, content);
    return value;
  }

private:
  GstStructure *content;
};

/* All messages until the end of the stream. */
static std::vector<Measures>
messages_of (Pipeline &pipeline)
{
  constexpr auto awaited = GstMessageType (GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  std::vector<Measures> reports;
  pipeline.must_reach (GST_STATE_PLAYING);
  for (bool ended = false; !ended;) {
    const Own message = gst_bus_timed_pop_filtered (pipeline.bus (), 60 * GST_SECOND, awaited);
    test_check (message && GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR, "the stream does not end");
    ended = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (gst_message_has_name (message, "clcompare"))
      reports.emplace_back (gst_message_get_structure (message));
  }
  return reports;
}

static void
expect_near (const Measures &report, const std::string &field, double expected, double tolerance)
{
  const double is = report.number (field);
  test_check (std::abs (is - expected) <= tolerance * std::max (1.0, std::abs (expected)), "%s is %.12g, expected %.12g",
      field.c_str (), is, expected);
}

static void
expect_likeness (const Measures &report, const ref::Likeness &likeness, const std::string &suffix)
{
  expect_near (report, "mse" + suffix, likeness.mse, 1e-12);
  expect_near (report, "psnr" + suffix, likeness.psnr, 1e-12);
  expect_near (report, "correlation" + suffix, likeness.correlation, 1e-9);
  test_check (report.has ("ssim" + suffix) == likeness.ssim.has_value (), "ssim%s %s", suffix.c_str (),
      likeness.ssim ? "is missing" : "is there");
  if (likeness.ssim)
    expect_near (report, "ssim" + suffix, *likeness.ssim, 2e-5);
}

static void
expect_comparison (const Measures &report, const ref::Comparison &comparison)
{
  for (const auto &[component, likeness] : comparison.components)
    expect_likeness (report, likeness, "-" + std::to_string (component));
  for (int component = 0; component < 4; component++)
    if (!comparison.components.contains (component))
      test_check (!report.has ("mse-" + std::to_string (component)), "component %d is there", component);
  expect_likeness (report, comparison.overall, "");
}

/* The picture with noise, or an unrelated picture. */
static ref::Picture
variant_of (const ref::Picture &picture, Random &random)
{
  if (random.chance (20))
    return make_picture (picture.layout->format, picture.width, picture.height, random.pick (contents), random);
  ref::Picture changed = picture;
  const int most = random.between (0, 20) * picture.max () / 255;
  for (ref::Component &component : changed.components)
    for (int &value : component.value)
      value = std::clamp (value + random.between (-most, most), 0, picture.max ());
  return changed;
}

static std::vector<InputLine>
two_lines (const std::string &caps, const std::string &first = "", const std::string &second = "")
{
  return {{caps, "sink", first}, {caps, "reference", second}};
}

/* Tests a pair of pictures twice: the frames that pass, and the messages; the second message contains the mean of both. */
static void
check_pair (GstVideoFormat id, const ref::Picture &a, const ref::Picture &b, Random &random, unsigned planes,
    const std::string &first = "", const std::string &second = "", const std::string &behind = "")
{
  Inputs inputs (format ("clcompare planes=%u", planes), two_lines (raw_caps (id, a.width, a.height), first, second), behind);
  inputs.push (0, a, 0, frame_time, storage_before (first, random));
  inputs.push (1, b, 0, frame_time, storage_before (second, random));
  inputs.end_all ();
  const ref::Picture passed = inputs.pull_picture ();
  for (size_t c = 0; c < a.components.size (); c++)
    test_check (passed.components[c].value == a.components[c].value, "the picture has changed");
  inputs.expect_end ();
  const std::vector<Measures> reports = messages_of (inputs.pipeline);
  ck_assert_int_eq (reports.size (), 2);
  const ref::Comparison comparison = ref::compare (a, b, planes);
  for (const Measures &report : reports)
    expect_comparison (report, comparison);
  fail_unless (!reports[0].final () && reports[1].final ());
}

TEST (formats, system_only (ref::tried_layouts ()), 2, 1)
{
  Random random (__i__);
  const GstVideoFormat id = ref::layouts ()[__i__].format;
  for (const int round : {0, 1, 2}) {
    const int width = round ? random.between (11, 70) : random.between (1, 24), height = random.between (1, 60);
    const ref::Picture a = make_picture (id, width, height, random.pick (contents), random);
    check_pair (id, a, variant_of (a, random), random, round == 2 ? 15 : 7);
  }
}

/* Pictures wider than a strip and higher than a band; equal pictures; flat pictures. */
TEST (contents_and_sizes, system_only (3))
{
  Random random (100 + __i__);
  const GstVideoFormat id = random.pick ({GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_GRAY16_LE});
  const ref::Picture a = make_picture (id, 301, 290, Content::Natural, random);
  check_pair (id, a, variant_of (a, random), random, 7);
  check_pair (id, a, a, random, 7);
  for (const int other : {9, 10}) {
    Inputs inputs ("clcompare", two_lines (raw_caps (gray, 20, 20)));
    inputs.push (0, flat (gray, 20, 20, 9));
    inputs.push (1, flat (gray, 20, 20, other));
    inputs.end_all ();
    inputs.pull_picture ();
    inputs.expect_end ();
    const std::vector<Measures> reports = messages_of (inputs.pipeline);
    expect_near (reports.at (0), "correlation", other == 9 ? 1 : 0, 0);
    expect_near (reports.at (0), "psnr", other == 9 ? 100 : 10 * std::log10 (255.0 * 255.0), 1e-12);
    if (other == 9)
      expect_near (reports.at (0), "ssim", 1, 1e-9);
  }
}

/* Either pad in any memory. */
TEST (memories, 4)
{
  Random random (200 + __i__);
  const GstVideoFormat id = random.pick ({GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_GRAY8});
  const ref::Picture a = make_picture (id, 44, 32, Content::Noise, random);
  const std::vector<std::string> before{"", "clupload ! ", "glupload ! "}, behind{"", "cldownload ! ", "gldownload ! "};
  const size_t count = expected_gl_path () ? 3 : 2;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++)
      check_pair (id, a, variant_of (a, random), random, 7, before[i], before[j], behind[i]);
}

/* Frames pass with their own times and flags, all of them, in the same memory. */
TEST (passing, system_only (1))
{
  Inputs inputs ("clcompare metrics=mse", two_lines (raw_caps (gray, 16, 16, "framerate=0/1")));
  static const int times[] = {0, 7, 50, 51, 400};
  for (const int time : times) {
    inputs.push (0, flat (gray, 16, 16, time % 256), time * GST_MSECOND, GST_MSECOND);
    inputs.push (1, flat (gray, 16, 16, (time + 2) % 256), time * GST_MSECOND, GST_MSECOND);
  }
  inputs.end_all ();
  for (const int time : times) {
    const Own sample = inputs.pull ();
    test_check (sample, "a frame is missing");
    GstBuffer *buffer = gst_sample_get_buffer (sample);
    ck_assert_uint_eq (GST_BUFFER_PTS (buffer), time * GST_MSECOND);
    ck_assert_uint_eq (GST_BUFFER_DURATION (buffer), GST_MSECOND);
  }
  inputs.expect_end ();
  const std::vector<Measures> reports = messages_of (inputs.pipeline);
  ck_assert_int_eq (reports.size (), 6);
  for (int i = 0; i < 5; i++) {
    ck_assert_uint_eq (reports[i].count ("frame"), i);
    for (const char *field : {"timestamp", "stream-time", "running-time"})
      ck_assert_uint_eq (reports[i].count (field), times[i] * GST_MSECOND);
    expect_near (reports[i], "mse", 4, 0);
  }
}

/* `metrics` selects fields, `interval` selects messages; means include every frame, and the PSNR is that of the mean error. */
TEST (messages, system_only (4))
{
  static const char *fields[] = {"mse", "psnr", "ssim", "correlation"};
  const unsigned metrics = 1u << __i__;
  Inputs inputs (format ("clcompare interval=3 metrics=%u", metrics), two_lines (raw_caps (gray, 16, 16)));
  for (int i = 0; i < 5; i++) {
    inputs.push (0, flat (gray, 16, 16, 100 + i), i * GST_SECOND / 30, frame_time);
    inputs.push (1, flat (gray, 16, 16, 100), i * GST_SECOND / 30, frame_time);
  }
  inputs.end_all ();
  for (int i = 0; i < 5; i++)
    inputs.pull_picture ();
  inputs.expect_end ();
  const std::vector<Measures> reports = messages_of (inputs.pipeline);
  ck_assert_int_eq (reports.size (), 3);
  for (const Measures &report : reports)
    for (int m = 0; m < 4; m++)
      test_check (report.has (fields[m]) == (m == __i__) && report.has (std::string (fields[m]) + "-0") == (m == __i__),
          "field %s", fields[m]);
  ck_assert_uint_eq (reports[1].count ("frame"), 3);
  fail_unless (!reports[1].final () && reports[2].final ());
  ck_assert_uint_eq (reports[2].count ("frames"), 5);
  const double mse = (0 + 1 + 4 + 9 + 16) / 5.0;
  if (metrics == 1)
    expect_near (reports[2], "mse", mse, 1e-12);
  else if (metrics == 2)
    expect_near (reports[2], "psnr", 10 * std::log10 (255.0 * 255.0 / mse), 1e-12);
  else if (metrics == 8)
    expect_near (reports[2], "correlation", 0.2, 1e-12);
}

/* A slower reference is compared with its current frame; different rounding of time stamps does not matter; after its end,
 * frames pass unmeasured. */
TEST (rates, system_only (4))
{
  struct Rate {
    int frames;
    GstClockTime step, shift;
    int expected; /* frames measured */
  };
  static const Rate rates[] = {
      {3, GST_SECOND / 10, 0, 9}, {12, GST_SECOND / 30, 900000, 12}, {6, GST_SECOND / 30, 0, 6}, {24, GST_SECOND / 60, 0, 12}};
  const Rate &rate = rates[__i__];
  Inputs inputs ("clcompare metrics=mse", two_lines (raw_caps (gray, 16, 16)));
  for (int i = 0; i < rate.frames; i++)
    inputs.push (1, flat (gray, 16, 16, i), i * rate.step + rate.shift, rate.step);
  for (int i = 0; i < 12; i++)
    inputs.push (0, flat (gray, 16, 16, 50), i * GST_SECOND / 30, frame_time);
  inputs.end_all ();
  for (int i = 0; i < 12; i++)
    inputs.pull_picture ();
  inputs.expect_end ();
  const std::vector<Measures> reports = messages_of (inputs.pipeline);
  ck_assert_int_eq (reports.size (), rate.expected + 1);
  for (int i = 0; i < rate.expected; i++) {
    const double shown = std::floor (i / 30.0 / (double (rate.step) / GST_SECOND) + 1e-6);
    expect_near (reports[i], "mse", (50 - shown) * (50 - shown), 1e-12);
  }
  ck_assert_uint_eq (reports.back ().count ("frames"), rate.expected);
}

/* In a gap of the reference, frames pass at once, unmeasured. */
TEST (gap, system_only (1))
{
  Inputs inputs ("clcompare metrics=mse", two_lines (raw_caps (gray, 16, 16)));
  inputs.push (1, flat (gray, 16, 16, 5), 0, frame_time);
  inputs.push_event (1, gst_event_new_gap (frame_time, 4 * frame_time));
  for (int i = 0; i < 4; i++)
    inputs.push (0, flat (gray, 16, 16, 5), i * frame_time, frame_time);
  for (int i = 0; i < 4; i++)
    inputs.pull_picture ();
  inputs.end_all ();
  inputs.expect_end ();
  ck_assert_uint_eq (messages_of (inputs.pipeline).back ().count ("frames"), 1);
}

/* Plays a second of frames of value 0, 10, 20 and 30 at a speed, below 0 backwards. */
static void
play (Pipeline &pipeline, const char *name, int count, double speed)
{
  GstAppSrc *const source = GST_APP_SRC (pipeline.element (name));
  g_object_set (source, "handle-segment-change", TRUE, nullptr);
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = speed;
  segment.stop = GST_SECOND;
  const Own caps = gst_app_src_get_caps (source);
  for (int i = 0; i < count; i++) {
    const int frame = speed < 0 ? count - 1 - i : i;
    const Own buffer = gst_buffer_new_allocate (nullptr, 16 * 16, nullptr);
    gst_buffer_memset (buffer, 0, guint8 (10 * (frame * 4 / count)), 16 * 16);
    GST_BUFFER_PTS (buffer.get ()) = frame * GST_SECOND / count;
    GST_BUFFER_DURATION (buffer.get ()) = GST_SECOND / count;
    const Own sample = gst_sample_new (buffer, caps, &segment, nullptr);
    fail_unless (gst_app_src_push_sample (source, sample) == GST_FLOW_OK);
  }
}

/* At every speed, and backwards, a frame is compared with the same reference. */
TEST (speeds, system_only (3))
{
  static const double speeds[] = {2, 0.5, -2};
  Inputs inputs ("clcompare metrics=mse",
      {{raw_caps (gray, 16, 16, "framerate=12/1"), "sink"}, {raw_caps (gray, 16, 16, "framerate=4/1"), "reference"}});
  play (inputs.pipeline, "in0", 12, speeds[__i__]);
  play (inputs.pipeline, "in1", 4, speeds[__i__]);
  inputs.end_all ();
  for (int i = 0; i < 12; i++)
    inputs.pull_picture ();
  inputs.expect_end ();
  const std::vector<Measures> reports = messages_of (inputs.pipeline);
  ck_assert_uint_eq (reports.back ().count ("frames"), 12);
  expect_near (reports.back (), "mse", 0, 0);
}

/* One source feeds both pads through a tee with the shortest queues; a seek restarts the counts. */
TEST (seek, system_only (1))
{
  Pipeline pipeline ("videotestsrc num-buffers=90 pattern=ball ! video/x-raw,width=32,height=32,framerate=30/1 ! tee name=t "
                     "t. ! queue max-size-buffers=1 ! compare.sink t. ! queue max-size-buffers=1 ! compare.reference "
                     "clcompare name=compare ! fakesink name=sink enable-last-sample=true sync=false");
  pipeline.must_reach (GST_STATE_PAUSED);
  pipeline.seek (2 * GST_SECOND);
  ck_assert_uint_eq (pipeline.shown_by ("sink"), 2 * GST_SECOND);
  const std::vector<Measures> reports = messages_of (pipeline);
  test_check (!reports.empty () && reports.back ().final (), "no last message");
  guint64 after = 0;
  for (const Measures &report : reports)
    if (!report.final () && report.count ("timestamp") >= 2 * GST_SECOND) {
      if (report.count ("frame") == 0)
        after = 0; /* each branch passes the seek to the source, which flushes both */
      ck_assert_uint_eq (report.count ("frame"), after++);
    }
  fail_unless (after > 0);
  ck_assert_uint_eq (reports.back ().count ("frames"), after);
  expect_near (reports.back (), "ssim", 1, 1e-7); /* floats, because division is not exact on every device */
  const int allocations = int (stat (pipeline.element ("compare"), "allocations"));
  test_check (allocations <= 12, "%d allocations", allocations);
}

TEST (states, system_only (1))
{
  Pipeline pipeline ("videotestsrc ! video/x-raw,width=32,height=32 ! tee name=t t. ! queue ! compare.sink "
                     "t. ! queue ! compare.reference clcompare name=compare ! fakesink");
  for (const GstState state : {GST_STATE_PLAYING, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_NULL,
           GST_STATE_PLAYING, GST_STATE_NULL})
    pipeline.must_reach (state);
  fail_unless (pipeline.errors ().empty ());
}

TEST (mismatch, system_only (1))
{
  check_mismatch ("clcompare", "sink", "reference");
}

/* `reference` is never linked, now or by an element that makes its pads late: this is an error instead of an endless wait. */
TEST (unlinked, system_only (3))
{
  static const char *lines[] = {"videotestsrc ! clcompare name=tested ! fakesink",
      "videotestsrc ! decodebin ! clcompare name=tested ! fakesink",
      "clcompare name=tested ! fakesink videotestsrc ! decodebin ! tested.sink videotestsrc ! decodebin ! fakesink"};
  Pipeline pipeline (lines[__i__]);
  for (int i = 0; i < 2; i++) {
    expect_one_error (pipeline.play_to_error ("tested"), GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        {"\"reference\" is not linked", "tested.reference"});
    ck_assert_int_eq (gst_element_set_state (pipeline.top (), GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  }
}

/* A link that is made while the pipeline prerolls is in time, whichever pad is linked first. */
TEST (linked_late, system_only (2))
{
  const std::string source = "videotestsrc num-buffers=3 ! video/x-raw,format=GRAY8 ! ";
  Pipeline pipeline ("clcompare name=tested ! fakesink " + source + (__i__ ? "decodebin ! " : "") + "tested.sink " + source
                     + "decodebin ! tested.reference");
  const std::vector<Measures> reports = messages_of (pipeline);
  ck_assert_uint_eq (reports.back ().count ("frames"), 3);
}

/* Every sample of regions counts once, or of their surroundings. */
TEST (regions, 2)
{
  const ref::Rectangle regions[] = {{2, 2, 8, 8}, {6, 4, 10, 20}};
  Inputs inputs (
      std::string ("clcompare roi-source=list roi-list=\"<[r,x=2,y=2,width=8,height=8],[r,x=6,y=4,width=10,height=20]>\"")
          + (__i__ ? " roi-invert=true" : ""),
      two_lines (raw_caps (gray, 20, 16)));
  Random random (5);
  const ref::Picture a = make_picture (gray, 20, 16, Content::Noise, random),
                     b = make_picture (gray, 20, 16, Content::Noise, random);
  double sum = 0, n = 0;
  for (int i = 0; i < 20 * 16; i++) {
    const bool inside = std::any_of (std::begin (regions), std::end (regions), [i] (const ref::Rectangle &r) {
      return i % 20 >= r.x && i % 20 < r.x + r.width && i / 20 >= r.y && i / 20 < r.y + r.height;
    });
    if (inside == (__i__ == 1))
      continue;
    sum += std::pow (a.components[0].value[i] - b.components[0].value[i], 2);
    n++;
  }
  inputs.push (0, a, 0, frame_time);
  inputs.push (1, b, 0, frame_time);
  inputs.end_all ();
  inputs.pull_picture ();
  inputs.expect_end ();
  expect_near (messages_of (inputs.pipeline).front (), "mse", sum / n, 1e-12);
}

}  // namespace test::compare_suite
