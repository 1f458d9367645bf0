/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an element does with everything that is not a sample: states, flushes, seeks, ends, metas, quality of service,
 * caps changes, latency. */
#include "../filtercase.hpp"
#include "../link.hpp"
#include "../pipeline.hpp"

using namespace test;

static const char *lines[] = {
    "clconvolve preset=sharpen", "clmedian radius=1", "clbilateral radius=1", "clconvolve", "clupload ! clmedian ! cldownload"};
static const char caps_small[] = "video/x-raw,format=RGBA,width=33,height=17,framerate=30/1";

static std::string
pipeline_of (const char *line, const char *source, const char *sink)
{
  return std::string (source) + " ! " + caps_small + " ! " + line + " ! " + sink;
}

static GstBuffer *
frame_of (const Case &c, unsigned number)
{
  Random random (number);
  return make_buffer (c, make_picture (c.format, c.width, c.height, Content::Noise, random), Storage::Tight);
}

GST_START_TEST (state_cycles)
{
  Pipeline pipeline (pipeline_of (lines[__i__], "videotestsrc num-buffers=4", "fakesink"));
  for (int i = 0; i < 2; i++) {
    pipeline.play_to_end ();
    pipeline.must_reach (GST_STATE_NULL);
  }
  for (const GstState state : {GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING,
           GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL, GST_STATE_PLAYING, GST_STATE_NULL})
    pipeline.must_reach (state);
  fail_unless (pipeline.errors ().empty ());
}

GST_END_TEST;

GST_START_TEST (flush)
{
  const Case c = median_case (33, 17);
  Link link (lines[__i__], usual_caps (caps_small));
  GstHarness *h = link.harness ();
  for (int round = 0; round < 3; round++) {
    gst_buffer_unref (link.filter (frame_of (c, round)));
    fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
    ck_assert_int_eq (link.push (frame_of (c, 9)), GST_FLOW_FLUSHING);
    fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
    GstSegment segment;
    gst_segment_init (&segment, GST_FORMAT_TIME);
    fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
    gst_buffer_unref (link.filter (frame_of (c, round)));
  }
}

GST_END_TEST;

GST_START_TEST (seek)
{
  Pipeline pipeline (pipeline_of (lines[__i__], "videotestsrc num-buffers=300", "fakesink name=sink enable-last-sample=true"));
  pipeline.must_reach (GST_STATE_PAUSED);
  GstElement *sink = pipeline.element ("sink");
  for (const int second : {4, 1, 7, 0}) {
    fail_unless (gst_element_seek_simple (
        pipeline.top (), GST_FORMAT_TIME, (GstSeekFlags) (GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE), second * GST_SECOND));
    pipeline.must_reach (GST_STATE_PAUSED);
    GstSample *sample = nullptr;
    g_object_get (sink, "last-sample", &sample, nullptr);
    test_check (sample, "no frame after the seek to %d s", second);
    ck_assert_uint_eq (GST_BUFFER_PTS (gst_sample_get_buffer (sample)), second * GST_SECOND);
    gst_sample_unref (sample);
  }
}

GST_END_TEST;

/* Every frame comes out before the end of the stream does, none after. */
GST_START_TEST (end_of_stream)
{
  const Case c = median_case (33, 17);
  Link link (lines[__i__], usual_caps (caps_small));
  for (int i = 0; i < 3; i++)
    ck_assert_int_eq (link.push (frame_of (c, i)), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (link.harness (), gst_event_new_eos ()));
  ck_assert_uint_eq (gst_harness_buffers_received (link.harness ()), 3);
  bool ended = false;
  while (GstEvent *event = gst_harness_try_pull_event (link.harness ())) {
    ended = ended || GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  fail_unless (ended);
  ck_assert_int_eq (link.push (frame_of (c, 9)), GST_FLOW_EOS);
}

GST_END_TEST;

static void
add_metas (GstBuffer *buffer, GstCaps *clock)
{
  gst_buffer_add_reference_timestamp_meta (buffer, clock, 99, 5);
  GstVideoRegionOfInterestMeta *roi = gst_buffer_add_video_region_of_interest_meta (buffer, "face", 1, 2, 3, 4);
  gst_video_region_of_interest_meta_add_param (roi, gst_structure_new ("detail", "x", G_TYPE_INT, 5, nullptr));
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);
  crop->x = 2;
  crop->width = 11;
}

static void
check_metas (GstBuffer *buffer, GstCaps *clock)
{
  const GstReferenceTimestampMeta *time = gst_buffer_get_reference_timestamp_meta (buffer, clock);
  test_check (time && time->timestamp == 99 && time->duration == 5, "the reference time is gone");
  auto *roi = (GstVideoRegionOfInterestMeta *) gst_buffer_get_meta (buffer, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
  test_check (roi && roi->x == 1 && roi->y == 2 && roi->w == 3 && roi->h == 4, "the region of interest is gone");
  test_check (gst_video_region_of_interest_meta_get_param (roi, "detail"), "the region's parameter is gone");
  const GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta (buffer);
  test_check (crop && crop->x == 2 && crop->width == 11, "the crop is gone");
}

/* Times, offsets, flags, and the metas that stay true of a filtered picture. */
GST_START_TEST (metadata)
{
  static const guint flags =
      GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_MARKER | GST_BUFFER_FLAG_DROPPABLE | GST_VIDEO_BUFFER_FLAG_ONEFIELD;
  const Case c = median_case (33, 17);
  Link link (lines[__i__], usual_caps (caps_small));
  GstBuffer *buffer = frame_of (c, 1);
  GstCaps *clock = gst_caps_new_empty_simple ("timestamp/x-test");
  GST_BUFFER_PTS (buffer) = 1234567;
  GST_BUFFER_DTS (buffer) = 1234000;
  GST_BUFFER_DURATION (buffer) = 33333;
  GST_BUFFER_OFFSET (buffer) = 77;
  GST_BUFFER_OFFSET_END (buffer) = 78;
  GST_BUFFER_FLAG_SET (buffer, flags);
  add_metas (buffer, clock);

  GstBuffer *result = link.filter (buffer);
  ck_assert_uint_eq (GST_BUFFER_PTS (result), 1234567);
  ck_assert_uint_eq (GST_BUFFER_DTS (result), 1234000);
  ck_assert_uint_eq (GST_BUFFER_DURATION (result), 33333);
  ck_assert_uint_eq (GST_BUFFER_OFFSET (result), 77);
  ck_assert_uint_eq (GST_BUFFER_OFFSET_END (result), 78);
  ck_assert_uint_eq (GST_BUFFER_FLAGS (result) & flags, flags);
  check_metas (result, clock);
  gst_caps_unref (clock);
  gst_buffer_unref (result);
}

GST_END_TEST;

/* A frame that is too late by what the sink says is dropped, and the bus hears of it. */
GST_START_TEST (quality_of_service)
{
  const Case c = median_case (33, 17);
  Link link ("clmedian qos=true", usual_caps (caps_small));
  gst_buffer_unref (link.filter (frame_of (c, 0)));
  fail_unless (gst_harness_push_upstream_event (
      link.harness (), gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2.0, GST_SECOND, GST_SECOND)));
  GstBuffer *late = frame_of (c, 1), *early = frame_of (c, 2);
  GST_BUFFER_PTS (late) = GST_SECOND;
  GST_BUFFER_PTS (early) = 10 * GST_SECOND;
  GST_BUFFER_DURATION (late) = GST_BUFFER_DURATION (early) = GST_SECOND / 30;
  ck_assert_int_eq (link.push (late), GST_FLOW_OK);
  test_check (!gst_harness_try_pull (link.harness ()), "a late frame is not dropped");
  gst_buffer_unref (link.filter (early));
  GstMessage *message = gst_bus_pop_filtered (link.bus (), GST_MESSAGE_QOS);
  test_check (message, "no message about the dropped frame");
  gst_message_unref (message);
}

GST_END_TEST;

/* New formats and sizes in one stream. */
GST_START_TEST (caps_changes)
{
  static const struct {
    GstVideoFormat format;
    int width, height;
  } steps[] = {{GST_VIDEO_FORMAT_RGBA, 33, 17}, {GST_VIDEO_FORMAT_I420, 33, 17}, {GST_VIDEO_FORMAT_I420, 67, 41},
      {GST_VIDEO_FORMAT_GRAY16_LE, 5, 3}, {GST_VIDEO_FORMAT_RGBA, 33, 17}, {GST_VIDEO_FORMAT_RGBA, 1, 1}};
  Case c = median_case (33, 17);
  Link link (__i__ ? "clupload ! clmedian ! cldownload" : "clmedian", usual_caps (caps_small));
  Random random (8);
  for (const auto &step : steps) {
    c.format = step.format;
    c.width = step.width;
    c.height = step.height;
    gst_harness_set_caps_str (link.harness (), in_caps_of (c).c_str (), out_caps_of (c).c_str ());
    for (int i = 0; i < 2; i++) {
      const ref::Picture in = make_picture (c.format, c.width, c.height, Content::Noise, random);
      GstBuffer *result = link.filter (make_buffer (c, in, Storage::Tight));
      check_result (c, in, result, "after " + caps_of (c));
      gst_buffer_unref (result);
    }
  }
}

GST_END_TEST;

/* In a mixed stream only the buffers that say so hold two fields. */
GST_START_TEST (mixed_interlacing)
{
  Case c = median_case (33, 17);
  const std::string caps = std::string (caps_small) + ",interlace-mode=mixed";
  Link link ("clmedian", usual_caps (caps));
  Random random (9);
  for (const bool interlaced : {true, false, true}) {
    c.common.interlaced = interlaced;
    const ref::Picture in = make_picture (c.format, c.width, c.height, Content::Noise, random);
    GstBuffer *result = link.filter (make_buffer (c, in, Storage::Tight));
    check_result (c, in, result, interlaced ? "an interlaced buffer" : "a progressive buffer");
    gst_buffer_unref (result);
  }
}

GST_END_TEST;

GST_START_TEST (odd_framerates)
{
  const Case c = median_case (33, 17);
  for (const char *rate : {"0/1", "1/1000", "30000/1001", "1000/1"}) {
    const std::string caps = format ("video/x-raw,format=RGBA,width=33,height=17,framerate=%s", rate);
    Link link (lines[__i__], usual_caps (caps));
    gst_buffer_unref (link.filter (frame_of (c, 1)));
  }
}

GST_END_TEST;

GST_START_TEST (latency)
{
  const Case c = median_case (33, 17);
  Link link (lines[__i__], usual_caps (caps_small));
  link.set_live (true); /* of others nobody asks for it */
  gst_harness_set_upstream_latency (link.harness (), 20 * GST_MSECOND);
  gst_buffer_unref (link.filter (frame_of (c, 1)));
  ck_assert_uint_eq (gst_harness_query_latency (link.harness ()), 20 * GST_MSECOND);
}

GST_END_TEST;

/* The second start finds its programs in the cache. */
GST_START_TEST (first_frame)
{
  const Case c = median_case (33, 17);
  gint64 times[2];
  for (gint64 &time : times) {
    const gint64 start = g_get_monotonic_time ();
    Link link (lines[__i__], usual_caps (caps_small));
    gst_buffer_unref (link.filter (frame_of (c, 1)));
    time = (g_get_monotonic_time () - start) / 1000;
  }
  g_print ("%s: first frame after %d ms, then after %d ms\n", lines[__i__], (int) times[0], (int) times[1]);
  test_check (times[0] < 15000, "the first frame takes %d ms", (int) times[0]);
  test_check (times[1] < 2000, "the first frame of a second start takes %d ms", (int) times[1]);
}

GST_END_TEST;

/* A stop while frames are on their way between threads. */
GST_START_TEST (stop_in_the_middle)
{
  for (int i = 0; i < 5; i++) {
    Pipeline pipeline (pipeline_of (lines[__i__], "videotestsrc", "queue ! fakesink sync=false"));
    pipeline.must_reach (GST_STATE_PLAYING);
    g_usleep (20000 * i);
    pipeline.must_reach (GST_STATE_NULL);
  }
}

GST_END_TEST;

static const Program main_program ("stream", Needs::DeviceOrGL, [] (Suite *suite) {
  TCase *group = add_group (suite, "stream");
  const int count = G_N_ELEMENTS (lines);
  add_loop (group, "state_cycles", state_cycles, count);
  add_loop (group, "flush", flush, count);
  add_loop (group, "seek", seek, count);
  add_loop (group, "end_of_stream", end_of_stream, count);
  add_loop (group, "metadata", metadata, count);
  add_loop (group, "odd_framerates", odd_framerates, count);
  add_loop (group, "latency", latency, count);
  add_loop (group, "first_frame", first_frame, count);
  add_loop (group, "stop_in_the_middle", stop_in_the_middle, count);
  add_loop (group, "quality_of_service", quality_of_service, 1);
  add_loop (group, "caps_changes", caps_changes, 2);
  add_loop (group, "mixed_interlacing", mixed_interlacing, 1);
});
