/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clblend while playing: streams of different rates and lengths; weights, modes and caps that change; incompatible inputs. */
#include "../../elements/inputs.hpp"

#include <thread>

namespace test::blend_stream_suite {

static Tests tests ("blend_stream", Needs::Device);

constexpr GstClockTime frame_time = GST_SECOND / 30;

static int
value_of (const ref::Picture &picture)
{
  return picture.components[0].value[0];
}

constexpr GstVideoFormat gray = GST_VIDEO_FORMAT_GRAY8;

/* Ten frames a second with thirty: the result has thirty, each with the other input's current frame. */
TEST (rates)
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
TEST (repeated_metadata)
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
TEST (ends)
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

/* The result of a frame of one value on each of two inputs. */
static int
blended (Inputs &inputs, int frame, int first, int second)
{
  inputs.push (0, flat (gray, 16, 8, first), frame * GST_SECOND / 30, frame_time);
  inputs.push (1, flat (gray, 16, 8, second), frame * GST_SECOND / 30, frame_time);
  return value_of (inputs.pull_picture ());
}

/* A weight applies from the next frame on, and a controller moves it by stream time. */
TEST (weights)
{
  Inputs inputs ("clblend", {{raw_caps (gray, 16, 8), "sink_0"}, {raw_caps (gray, 16, 8), "sink_1"}});
  const Own pad = gst_element_get_static_pad (inputs.tested (), "sink_1");
  ck_assert_int_eq (blended (inputs, 0, 50, 20), 70);
  g_object_set (pad, "weight", -2.0, nullptr);
  ck_assert_int_eq (blended (inputs, 1, 50, 20), 10);
  g_object_set (pad, "weight", 0.5, nullptr);
  ck_assert_int_eq (blended (inputs, 2, 50, 20), 60);
  const guint64 builds = stat (inputs.tested (), "builds");

  control (pad, "weight", {{0, 3}, {4 * GST_SECOND / 30, 4}}, GST_INTERPOLATION_MODE_NONE);
  ck_assert_int_eq (blended (inputs, 3, 50, 20), 110);
  ck_assert_int_eq (blended (inputs, 4, 50, 20), 130);
  ck_assert_uint_eq (stat (inputs.tested (), "builds"), builds);
}

/* The mode changes while playing. */
TEST (live_mode)
{
  Inputs inputs ("clblend", {{raw_caps (gray, 16, 8), "sink_0"}, {raw_caps (gray, 16, 8), "sink_1"}});
  static const char *const modes[] = {"add", "average", "difference", "multiply", "lighten", "darken"};
  static const int expected[] = {110, 55, 90, 4, 100, 10};
  for (int i = 0; i < 6; i++) {
    gst_util_set_object_arg (G_OBJECT (inputs.tested ()), "mode", modes[i]);
    const int value = blended (inputs, i, 10, 100);
    test_check (value == expected[i], "%s gives %d", modes[i], value);
  }
}

TEST (mismatch)
{
  check_mismatch ("clblend", "sink_0", "sink_1");
}

/* Any memory, as fakevideosink takes it. */
TEST (any_memory)
{
  Pipeline pipeline ("videotestsrc num-buffers=2 ! clblend ! capsfilter caps=video/x-raw(ANY),format=I420 ! fakesink");
  pipeline.play_to_end ();
}

/* A frame without a time stamp gives an error, which names its pad. */
TEST (untimed)
{
  Inputs inputs ("clblend", {{raw_caps (gray, 16, 8), "sink_0"}, {raw_caps (gray, 16, 8), "sink_1"}});
  inputs.push (0, flat (gray, 16, 8, 10));
  inputs.push (1, flat (gray, 16, 8, 10), GST_CLOCK_TIME_NONE);
  expect_one_error (inputs.pipeline.play_to_error ("tested"), GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      {"sink_1", "no time stamp", "do-timestamp"});
}

/* The result is interlaced when the first input is, whatever the inputs were before and the other one is. */
TEST (interlacing)
{
  Inputs inputs ("clblend", {{raw_caps (gray, 16, 8), "sink_0"}, {raw_caps (gray, 16, 8), "sink_1"}});
  static const char *const modes[][2] = {{"progressive", "progressive"}, {"progressive", "interleaved"},
      {"interleaved", "interleaved"}, {"interleaved", "progressive"}, {"progressive", "progressive"}};
  for (int i = 0; i < 5; i++) {
    for (int input = 0; input < 2; input++) {
      const Own caps =
          gst_caps_from_string (raw_caps (gray, 16, 8, format ("framerate=30/1,interlace-mode=%s", modes[i][input])).c_str ());
      gst_app_src_set_caps (GST_APP_SRC (inputs.pipeline.element (input ? "in1" : "in0")), caps);
      inputs.push (input, flat (gray, 16, 8, 10 + input), i * GST_SECOND / 30, frame_time);
    }
  }
  inputs.end_all ();
  for (int i = 0; i < 5; i++) {
    const Own sample = inputs.pull ();
    test_check (sample, "frame %d does not come", i);
    const GstStructure *result = gst_caps_get_structure (gst_sample_get_caps (sample), 0);
    ck_assert_str_eq (gst_structure_get_string (result, "interlace-mode"), modes[i][0]);
    ck_assert_int_eq (value_of (from_buffer (gst_sample_get_buffer (sample), gst_sample_get_caps (sample))), 21);
  }
}

/* The result is as bright as the first input says, which encoders and cltonemap read. */
TEST (light)
{
  const std::string light = "framerate=30/1,content-light-level=(string)1000:400";
  Inputs inputs ("clblend", {{raw_caps (gray, 16, 8, light), "sink_0"}, {raw_caps (gray, 16, 8), "sink_1"}});
  for (int i = 0; i < 2; i++)
    inputs.push (i, flat (gray, 16, 8, 10), 0, frame_time);
  inputs.end_all ();
  const Own sample = inputs.pull ();
  ck_assert_str_eq (
      gst_structure_get_string (gst_caps_get_structure (gst_sample_get_caps (sample), 0), "content-light-level"), "1000:400");
}

/* Time without a frame on any input is a gap, so that sinks and muxers do not wait for it. */
TEST (gap)
{
  Inputs inputs ("clblend", {{raw_caps (gray, 16, 8), "sink_0"}});
  GstClockTime missing = 0;
  const auto count = [] (GstPad *, GstPadProbeInfo *info, gpointer missing) {
    GstEvent *event = gst_pad_probe_info_get_event (info);
    GstClockTime start, duration = 0;
    if (GST_EVENT_TYPE (event) == GST_EVENT_GAP)
      gst_event_parse_gap (event, &start, &duration);
    *static_cast<GstClockTime *> (missing) += duration;
    return GST_PAD_PROBE_OK;
  };
  const Own pad = gst_element_get_static_pad (inputs.pipeline.element ("out"), "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, count, &missing, nullptr);
  inputs.push (0, flat (gray, 16, 8, 10), 0, frame_time);
  gst_element_send_event (inputs.pipeline.element ("in0"), gst_event_new_gap (frame_time, GST_SECOND / 10 - frame_time));
  inputs.push (0, flat (gray, 16, 8, 10), GST_SECOND / 10, frame_time);
  inputs.end_all ();
  inputs.pull_picture ();
  inputs.pull_picture ();
  inputs.expect_end ();
  test_check (missing / GST_MSECOND == 66, "%" GST_TIME_FORMAT, GST_TIME_ARGS (missing));
}

/* Elements that can adapt do so. */
TEST (conversion)
{
  Pipeline pipeline ("clblend name=tested ! video/x-raw,format=RGBA,width=40,height=30 ! appsink name=out sync=false "
                     "videotestsrc num-buffers=2 ! video/x-raw,format=I420,width=64,height=48 ! videoconvert ! videoscale ! "
                     "tested. videotestsrc num-buffers=2 ! videoconvert ! videoscale ! tested.");
  pipeline.must_reach (GST_STATE_PLAYING);
  pull_picture (pipeline);
}

static std::string
white_frame (const char *id, int width, int input)
{
  const char *launch =
      "videotestsrc num-buffers=1 pattern=white ! video/x-raw,format=%s,width=%d,height=24,framerate=30/1 ! join%d. ";
  return format (launch, id, width, input);
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
TEST (caps_change)
{
  std::string sources;
  for (int i = 0; i < 2; i++)
    sources += white_frame ("RGBA", 32, i) + white_frame ("I420", 64, i) + white_frame ("RGBA", 48, i);
  expect_white (sources, {32, 64, 48});
}

/* The first stream ends, then the other one changes its size. */
TEST (caps_change_alone)
{
  const std::string other = white_frame ("RGBA", 32, 1) + white_frame ("RGBA", 32, 1) + white_frame ("RGBA", 48, 1);
  expect_white (white_frame ("RGBA", 32, 0) + other, {32, 32, 48});
}

/* A flushing seek of all streams. */
TEST (seek)
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
TEST (live_end)
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
TEST (flushed_meanwhile)
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
  ck_assert_int_eq (blended (inputs, 0, 10, 10), 20);
}

/* State changes, and pads that are added and removed while playing. */
TEST (states)
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

}  // namespace test::blend_stream_suite
