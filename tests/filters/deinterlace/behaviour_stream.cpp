/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cldeinterlace: the results' times and caps. */
#include "behaviour.hpp"

namespace test::deinterlace_stream_suite {

static Tests tests ("deinterlace_stream", Needs::Device);

constexpr GstClockTime field_time = interlaced_time / 2;
constexpr guint progressive = 0;

static Case
gray_case (const std::string &properties)
{
  return deinterlace_case (GST_VIDEO_FORMAT_GRAY8, properties, 800);
}

/* A link whose sink accepts any caps. */
static Link
open_freely (const Case &c, const std::string &fields, int rate = deinterlace_rate)
{
  return Link (launch_of (c), caps_with (c, rate, fields), "video/x-raw");
}

static std::string
out_field (Link &link, const char *field)
{
  const Own caps = gst_pad_get_current_caps (link.harness ()->sinkpad);
  test_check (caps, "no caps came out");
  const GValue *value = gst_structure_get_value (gst_caps_get_structure (caps, 0), field);
  return value ? text_of (gst_value_serialize (value)) : "none";
}

struct Shown {
  GstClockTime pts, duration;
};

static void
expect_times (Link &link, const std::vector<Shown> &times, const std::string &what)
{
  for (size_t i = 0; i < times.size (); i++) {
    const Own buffer = link.pull ();
    test_check (GST_BUFFER_PTS (buffer) == times[i].pts && GST_BUFFER_DURATION (buffer) == times[i].duration,
        "%s, result %zu is shown at %" GST_TIME_FORMAT " for %" GST_TIME_FORMAT ", not at %" GST_TIME_FORMAT
        " for %" GST_TIME_FORMAT,
        what.c_str (), i, GST_TIME_ARGS (GST_BUFFER_PTS (buffer)), GST_TIME_ARGS (GST_BUFFER_DURATION (buffer)),
        GST_TIME_ARGS (times[i].pts), GST_TIME_ARGS (times[i].duration));
  }
  test_check (!gst_harness_try_pull (link.harness ()), "%s: more than %zu results", what.c_str (), times.size ());
}

/* Consecutive frames, each as long as its fields, and the expected results. */
struct Timing {
  const char *properties, *caps;
  struct Frame {
    guint flags;
    GstClockTime duration; /* in fields */
  };
  std::vector<Frame> frames;
  std::vector<Shown> shown; /* in fields */
};

constexpr guint repeated = GST_VIDEO_BUFFER_FLAG_RFF, one = GST_VIDEO_BUFFER_FLAG_ONEFIELD;
const std::vector<Timing> timings = {
    {"", "interlace-mode=interleaved", {{top_first, 2}, {top_first, 2}}, {{0, 1}, {1, 1}, {2, 1}, {3, 1}}},
    {"fields=top", "interlace-mode=interleaved", {{top_first, 2}, {top_first, 2}}, {{0, 2}, {2, 2}}},
    {"fields=bottom", "interlace-mode=interleaved", {{top_first, 2}, {top_first, 2}}, {{0, 2}, {2, 2}}},
    /* films on television: frames of three and of two fields, alternating */
    {"", "interlace-mode=mixed", {{top_first | repeated, 3}, {bottom_first, 2}, {bottom_first | repeated, 3}, {top_first, 2}},
        {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}, {8, 1}, {9, 1}}},
    {"", "interlace-mode=mixed", {{progressive | repeated, 3}, {progressive, 2}, {top_first, 2}},
        {{0, 3}, {3, 2}, {5, 1}, {6, 1}}},
    {"mode=always", "interlace-mode=mixed", {{progressive, 2}, {progressive, 2}}, {{0, 1}, {1, 1}, {2, 1}, {3, 1}}},
    {"", "interlace-mode=mixed", {{top_first | one, 1}, {top_first, 2}}, {{0, 1}, {1, 1}, {2, 1}}},
    {"method=linear", "interlace-mode=interleaved", {{top_first, 2}}, {{0, 1}, {1, 1}}},
};

TEST (times, timings.size ())
{
  const Timing &timing = timings[__i__];
  const Case c = gray_case (timing.properties);
  /* from durations, from the framerate, and from the time of the next frame */
  for (const int way : {0, 1, 2}) {
    Link link = open_freely (c, timing.caps, way == 2 ? 0 : deinterlace_rate);
    GstClockTime time = 0;
    int t = 0;
    for (const Timing::Frame &frame : timing.frames) {
      GstBuffer *buffer = interlaced_frame (c, interlaced_stream (c, 1)[0], t++, frame.flags);
      const bool is_last = t == (int) timing.frames.size ();
      GST_BUFFER_PTS (buffer) = time;
      GST_BUFFER_DURATION (buffer) = way == 0 || (way == 2 && is_last) ? frame.duration * field_time : GST_CLOCK_TIME_NONE;
      time += frame.duration * field_time;
      ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
    }
    link.end ();
    /* frames that pass, and frames of one field, keep their duration */
    const bool doubles = out_field (link, "framerate") != "25/1" && !g_strrstr (timing.properties, "fields=");
    const bool has_passing =
        std::ranges::any_of (timing.frames, [] (const auto &frame) { return !(frame.flags & bottom_first); });
    const bool needs_next = g_strrstr (timing.properties, "linear");
    if (way > 0 && (!doubles || (has_passing && !g_strrstr (timing.properties, "always")) || (way == 2 && needs_next)))
      continue;
    std::vector<Shown> shown = timing.shown;
    for (Shown &each : shown)
      each = {each.pts * field_time, each.duration * field_time};
    expect_times (link, shown, format ("%s on %s, way %d", timing.properties, timing.caps, way));
  }
}

/* At a variable rate without durations every field has a time, because muxers and mixers need one. */
TEST (unknown_durations, 2)
{
  const bool waits = __i__;
  const Case c = gray_case (waits ? "method=bwdif" : "method=linear");
  for (const int n : {1, 3}) {
    Link link = open_freely (c, "interlace-mode=interleaved", 0);
    std::vector<Shown> shown;
    for (int t = 0; t < n; t++) {
      GstBuffer *buffer = interlaced_frame (c, interlaced_stream (c, 1)[0], t, top_first);
      GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
      ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
      const bool known = waits && n > 1;
      for (const int field : {0, 1})
        shown.push_back ({(2 * t + known * field) * field_time, known ? field_time : GST_CLOCK_TIME_NONE});
    }
    link.end ();
    expect_times (link, shown, format ("%s, %d frames", launch_of (c).c_str (), n));
  }
}

/* Captions occur once; time codes count fields, even at the end of a second. */
TEST (captions, 2)
{
  static const guint8 caption[] = {0xfc, 0x94, 0x2c};
  const Case c = gray_case (__i__ ? "fields=top method=linear" : "method=linear");
  Link link = open_deinterlacer (c, "interlace-mode=interleaved", (__i__ ? 1 : 2) * deinterlace_rate);
  for (int t = 0; t < 3; t++) {
    GstBuffer *buffer = interlaced_frame (c, interlaced_stream (c, 1)[0], t, top_first);
    gst_buffer_add_video_caption_meta (buffer, GST_VIDEO_CAPTION_TYPE_CEA708_RAW, caption, sizeof caption);
    gst_buffer_add_video_time_code_meta_full (
        buffer, 25, 1, nullptr, GST_VIDEO_TIME_CODE_FLAGS_INTERLACED, 10, 0, t == 2, t == 2 ? 0 : 23 + t, 1);
    ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
  }
  static const char *const codes[][6] = {
      {"10:00:00:46", "10:00:00:47", "10:00:00:48", "10:00:00:49", "10:00:01:00", "10:00:01:01"},
      {"10:00:00:23", "10:00:00:24", "10:00:01:00"}};
  for (int i = 0; i < (__i__ ? 3 : 6); i++) {
    const Own buffer = link.pull ();
    test_check (!gst_buffer_get_video_caption_meta (buffer) == (!__i__ && i % 2), "captions of result %d", i);
    GstVideoTimeCodeMeta *meta = gst_buffer_get_video_time_code_meta (buffer);
    test_check (meta, "no time code on result %d", i);
    g_autofree gchar *text = gst_video_time_code_to_string (&meta->tc);
    ck_assert_str_eq (text, codes[__i__][i]);
    ck_assert_int_eq (meta->tc.config.fps_n, __i__ ? 25 : 50);
  }
}

/* Durations of nothing, a field, or a second, for frames of 1/25 second. */
TEST (wrong_durations, 2)
{
  const Case c = gray_case (__i__ ? "method=linear" : "method=bwdif");
  for (const GstClockTime duration : {GstClockTime (0), field_time, GstClockTime (GST_SECOND)}) {
    Link link = open_deinterlacer (c);
    std::vector<Shown> shown;
    for (int t = 0; t < 3; t++) {
      GstBuffer *buffer = interlaced_frame (c, interlaced_stream (c, 1)[0], t, top_first);
      GST_BUFFER_DURATION (buffer) = duration;
      ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
      for (const int field : {0, 1})
        shown.push_back ({(2 * t + field) * field_time, field_time});
    }
    link.end ();
    expect_times (link, shown, format ("%s, durations of %" GST_TIME_FORMAT, launch_of (c).c_str (), GST_TIME_ARGS (duration)));
  }
}

/* Progressive frames are not touched: the same buffer comes out. */
TEST (passing)
{
  const Case c = gray_case ("");
  const ref::Picture picture = interlaced_stream (c, 1)[0];
  for (const char *caps : {"interlace-mode=progressive", "interlace-mode=mixed"}) {
    const bool is_mixed = g_strrstr (caps, "mixed");
    Link link = open_freely (c, caps);
    std::vector<GstBuffer *> pushed;
    for (int t = 0; t < 3; t++) {
      pushed.push_back (interlaced_frame (c, picture, 0, progressive)); /* in the default layout */
      GST_BUFFER_PTS (pushed.back ()) = t * interlaced_time;
      ck_assert_int_eq (link.push (gst_buffer_ref (pushed.back ())), GST_FLOW_OK);
      ck_assert_uint_eq (link.results (), is_mixed ? t : t + 1);
    }
    link.end ();
    for (GstBuffer *buffer : pushed) {
      const Own result = link.pull ();
      /* the first one has the DISCONT flag, which needs a new buffer */
      test_check (gst_buffer_peek_memory (result, 0) == gst_buffer_peek_memory (buffer, 0), "%s: a frame was copied", caps);
      test_check (result == buffer || buffer == pushed.front (), "%s: a frame was touched", caps);
      gst_buffer_unref (buffer);
    }
    ck_assert_str_eq (out_field (link, "framerate").c_str (), is_mixed ? "50/1" : "25/1");
    ck_assert_str_eq (out_field (link, "interlace-mode").c_str (), "progressive");
  }
}

/* Interlaced 4:2:0 has an even number of chroma rows in memory, progressive frames may have an odd number. */
TEST (layouts)
{
  const Case c = deinterlace_case (GST_VIDEO_FORMAT_I420, "", 801, 8);
  const std::vector<ref::Picture> stream = interlaced_stream (c, 3);
  Link link = open_freely (c, "interlace-mode=mixed");
  for (int t = 0; t < 3; t++)
    push_interlaced (link, c, stream[t], 0, t == 1 ? top_first : progressive);
  link.end ();
  for (const int t : {0, 1, 1, 2}) {
    const Own buffer = link.pull ();
    if (t != 1)
      expect_same (picture_in (c, buffer), stream[t], format ("frame %d", t));
  }
}

struct Negotiation {
  const char *properties, *in, *out; /* input caps, and the sink's caps, except format and size */
  const char *framerate;             /* null: no caps satisfy both */
};

const Negotiation negotiations[] = {
    {"", "interlace-mode=interleaved,framerate=25/1", "framerate=[0/1,240/1]", "50/1"},
    {"", "interlace-mode=interleaved,field-order=bottom-field-first,framerate=30000/1001", "", "60000/1001"},
    {"", "interlace-mode=interleaved,framerate=0/1", "", "0/1"},
    {"", "interlace-mode=mixed,framerate=30/1", "", "60/1"},
    {"", "interlace-mode=progressive,framerate=25/1", "", "25/1"},
    {"", "framerate=25/1", "", "25/1"},
    {"", "framerate=25/1", "framerate=50/1", nullptr},
    {"mode=always", "framerate=25/1", "", "50/1"},
    {"mode=always fields=top", "interlace-mode=progressive,framerate=25/1", "", "25/1"},
    {"fields=top", "interlace-mode=interleaved,framerate=25/1", "", "25/1"},
    {"fields=bottom", "interlace-mode=mixed,framerate=25/1", "", "25/1"},
    {"fields=auto", "interlace-mode=interleaved,framerate=25/1", "", "50/1"},
    {"fields=auto", "interlace-mode=interleaved,framerate=25/1", "framerate={25/1,30/1}", "25/1"},
    {"", "interlace-mode=interleaved,framerate=25/1", "framerate=25/1", nullptr},
    {"mode=always", "interlace-mode=interleaved,framerate=25/1", "interlace-mode=interleaved", nullptr},
};

TEST (caps, std::size (negotiations))
{
  const Negotiation &n = negotiations[__i__];
  const std::string picture = "video/x-raw,format=GRAY8,width=16,height=16";
  const std::string out = *n.out ? picture + "," + n.out : "video/x-raw";
  Link link (std::string ("cldeinterlace ") + n.properties, picture + "," + n.in, out);
  const Case c = gray_case ("");
  const GstFlowReturn flow = link.push (timed (filled (256), 0));
  if (!n.framerate) {
    ck_assert_int_eq (flow, GST_FLOW_NOT_NEGOTIATED);
    return;
  }
  ck_assert_int_eq (flow, GST_FLOW_OK);
  link.end ();
  ck_assert_str_eq (out_field (link, "framerate").c_str (), n.framerate);
  const std::string mode = out_field (link, "interlace-mode");
  test_check (mode == "progressive" || mode == "none", "%s of %s", mode.c_str (), n.in);
  ck_assert_str_eq (out_field (link, "field-order").c_str (), "none");
}

/* A source chooses half the rate that downstream asks for. */
TEST (rate_of_source)
{
  Pipeline ("videotestsrc num-buffers=2 ! video/x-raw,format=GRAY8,width=16,height=16,interlace-mode=interleaved ! "
            "cldeinterlace ! video/x-raw,framerate=50/1 ! fakesink")
      .play_to_end ();
}

/* A source that makes both kinds of frames is not asked to interlace. */
TEST (free_source)
{
  Pipeline pipeline ("videotestsrc ! cldeinterlace ! fakesink");
  pipeline.must_reach (GST_STATE_PAUSED);
  const Own pad = gst_element_get_static_pad (pipeline.element ("videotestsrc"), "src");
  const Own caps = gst_pad_get_current_caps (pad);
  GstVideoInfo info;
  fail_unless (gst_video_info_from_caps (&info, caps) && !GST_VIDEO_INFO_IS_INTERLACED (&info));
}

/* The caps of a source may come from a capsfilter that does not name the mode. */
TEST (plain_source)
{
  Pipeline ("fakesrc num-buffers=2 sizetype=fixed sizemax=48 format=time ! "
            "video/x-raw,format=GRAY8,width=8,height=6,framerate=25/1 ! "
            "cldeinterlace mode=always ! fakesink")
      .play_to_end ();
}

/* Pulls the frames of a field sequence and compares the top rows of the first frame, which do not change. */
static void
expect_fields (Link &link, const Case &c, const std::vector<ref::Picture> &results, const std::string &what)
{
  for (size_t i = 0; i < results.size (); i++) {
    const Own buffer = link.pull ();
    test_check (picture_in (c, buffer).components[0].value == results[i].components[0].value, "%s: field %zu differs",
        what.c_str (), i);
  }
  test_check (!gst_harness_try_pull (link.harness ()), "%s: more than %zu results", what.c_str (), results.size ());
}

/* Frames before and after an interruption are independent, and none is lost. */
TEST (interruptions, 4)
{
  const Case c = gray_case ("");
  const std::vector<ref::Picture> stream = interlaced_stream (c, 6);
  Link link = open_deinterlacer (c);
  for (int t = 0; t < 6; t++) {
    GstBuffer *buffer = interlaced_frame (c, stream[t], t, top_first);
    while (GstBuffer *before = t == 2 && __i__ == 3 ? gst_harness_try_pull (link.harness ()) : nullptr)
      gst_buffer_unref (before);
    if (t == 2)
      interrupt (link, Interruption (__i__), buffer);
    ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
  }
  link.end ();
  std::vector<ref::Picture> expected;
  if (__i__ != 3)
    expected = ref::deinterlaced ({stream.begin (), stream.begin () + 2}, true, {});
  std::ranges::copy (ref::deinterlaced ({stream.begin () + 2, stream.end ()}, true, {}), std::back_inserter (expected));
  expect_fields (link, c, expected, format ("interruption %d", __i__));
}

/* The pictures of forward playback with the later field first, each at its own time. */
TEST (backwards, 5)
{
  const Case c = gray_case (format ("method=%s", deinterlace_methods[__i__]));
  const int n = 6;
  const std::vector<ref::Picture> stream = interlaced_stream (c, n);
  std::vector<ref::Picture> expected = ref::deinterlaced (stream, true, {.method = ref::Deinterlace::Method (__i__)});
  std::ranges::reverse (expected);
  Link link = open_deinterlacer (c);
  link.turn_back ();
  for (int t = n - 1; t >= 0; t--) {
    GstBuffer *buffer = interlaced_frame (c, stream[t], t, top_first);
    if (t == 3)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
  }
  link.end ();
  for (int i = 0; i < 2 * n; i++) {
    const Own buffer = link.pull ();
    ck_assert_uint_eq (GST_BUFFER_PTS (buffer), (2 * n - 1 - i) * field_time);
    ck_assert_uint_eq (GST_BUFFER_DURATION (buffer), field_time);
    ck_assert_int_eq (GST_BUFFER_IS_DISCONT (buffer), i == 4);
    test_check (picture_in (c, buffer).components[0].value == expected[i].components[0].value, "%s: result %d differs",
        deinterlace_methods[__i__], i);
  }
}

/* The field order comes from the caps, or else from the frames; a repeated field equals the first one, or is woven with the one
 * before it; a single field is interpolated within itself. */
TEST (order)
{
  const std::vector<ref::Picture> stream = interlaced_stream (gray_case (""), 3);
  const auto play = [&] (const char *caps, guint flags, const std::vector<ref::Field> &fields, int method = 0) {
    const Case c = gray_case (format ("method=%s", deinterlace_methods[method]));
    Link link = open_freely (c, caps);
    push_all (link, c, stream, flags);
    std::vector<ref::Picture> expected;
    for (const ref::Field &field : fields)
      expected.push_back (ref::deinterlaced (stream, field, {.method = ref::Deinterlace::Method (method)}));
    expect_fields (link, c, expected, format ("%s, flags %x", caps, flags));
  };
  const auto all = [] (bool is_top_first) {
    std::vector<ref::Field> fields;
    for (int t = 0; t < 3; t++)
      for (const bool is_second : {false, true})
        fields.push_back ({t, is_second == is_top_first, is_second});
    return fields;
  };
  play ("interlace-mode=interleaved,field-order=bottom-field-first", top_first, all (false));
  play ("interlace-mode=interleaved,field-order=top-field-first", bottom_first, all (true));
  play ("interlace-mode=interleaved", bottom_first, all (false));
  play ("interlace-mode=interleaved", progressive, all (true));
  play ("interlace-mode=mixed", top_first | one, {{0, false, false, true}, {1, false, false, true}, {2, false, false, true}});
  play ("interlace-mode=mixed", bottom_first | one, {{0, true, false, true}, {1, true, false, true}, {2, true, false, true}});
  std::vector<ref::Field> repeating;
  for (int t = 0; t < 3; t++)
    repeating.insert (repeating.end (), {{t, false, false}, {t, true, true}, {t, false, false}});
  play ("interlace-mode=mixed", top_first | repeated, repeating);
  for (size_t i = 2; i < repeating.size (); i += 3)
    repeating[i].is_second = true;
  play ("interlace-mode=mixed", top_first | repeated, repeating, ref::Deinterlace::Weave);
}

TEST (latency)
{
  const Case c = gray_case ("");
  const std::vector<ref::Picture> stream = interlaced_stream (c, 6);
  Link link = open_deinterlacer (c);
  const auto push = [&] (int t) { return push_interlaced (link, c, stream[t], t); };
  ck_assert_uint_eq (push (0), 0);
  ck_assert_uint_eq (push (1), 2);
  ck_assert_uint_eq (link.latency (), interlaced_time);
  link.set ("cldeinterlace", "method", "linear");
  ck_assert_uint_eq (push (2), 6);
  ck_assert_uint_eq (link.latency (), 0);
  link.set ("cldeinterlace", "method", "yadif");
  ck_assert_uint_eq (push (3), 6);
  ck_assert_uint_eq (link.latency (), interlaced_time);
  link.end ();
  ck_assert_uint_eq (link.results (), 8);
}

/* Changing `fields` changes the caps of all later frames. */
TEST (live_fields)
{
  const Case c = gray_case ("");
  const std::vector<ref::Picture> stream = interlaced_stream (c, 6);
  Link link = open_freely (c, "interlace-mode=interleaved");
  const auto push = [&] (int t) { return push_interlaced (link, c, stream[t], t); };
  push (0);
  ck_assert_uint_eq (push (1), 2);
  ck_assert_str_eq (out_field (link, "framerate").c_str (), "50/1");
  link.set ("cldeinterlace", "fields", "bottom");
  ck_assert_uint_eq (push (2), 4); /* waiting frames */
  ck_assert_str_eq (out_field (link, "framerate").c_str (), "25/1");
  ck_assert_uint_eq (push (3), 5);
  link.set ("cldeinterlace", "fields", "all");
  push (4);
  ck_assert_str_eq (out_field (link, "framerate").c_str (), "50/1");
  link.end ();
  ck_assert_uint_eq (link.results (), 8);
}

/* While all frames pass, upstream serves downstream, and may leave cropping to it. */
TEST (asks_upstream_again)
{
  const Case c = gray_case ("mode=disabled method=linear");
  const std::vector<ref::Picture> stream = interlaced_stream (c, 2);
  Link link = open_freely (c, "interlace-mode=progressive");
  const auto is_asked = [&link] {
    bool asked = false;
    while (const Own event = gst_harness_try_pull_upstream_event (link.harness ()))
      asked = asked || GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE;
    return asked;
  };
  push_interlaced (link, c, stream[0], 0);
  is_asked ();
  link.set ("cldeinterlace", "mode", "always");
  push_interlaced (link, c, stream[1], 1);
  test_check (is_asked (), "upstream is not asked for frames of its own");
}

}  // namespace test::deinterlace_stream_suite
