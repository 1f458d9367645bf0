/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Everything about a stream except samples: states, flushes, seeks, ends, metas, quality of service, caps changes, latency. */
#include "../elements/filtercase.hpp"
#include "../elements/pipeline.hpp"

namespace test::stream_suite {

static Tests tests ("stream", Needs::DeviceOrGL);

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
  return make_buffer (c, random_picture (c.format, c.width, c.height, number), Storage::Tight);
}

TEST (state_cycles, G_N_ELEMENTS (lines))
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

TEST (flush, G_N_ELEMENTS (lines))
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

TEST (seek, G_N_ELEMENTS (lines))
{
  Pipeline pipeline (pipeline_of (lines[__i__], "videotestsrc num-buffers=300", "fakesink name=sink enable-last-sample=true"));
  pipeline.must_reach (GST_STATE_PAUSED);
  for (const int second : {4, 1, 7, 0}) {
    pipeline.seek (second * GST_SECOND);
    ck_assert_uint_eq (pipeline.shown_by ("sink"), second * GST_SECOND);
  }
}

/* Every frame is pushed before the end of the stream, and none after it. */
TEST (end_of_stream, G_N_ELEMENTS (lines))
{
  const Case c = median_case (33, 17);
  Link link (lines[__i__], usual_caps (caps_small));
  for (int i = 0; i < 3; i++)
    ck_assert_int_eq (link.push (frame_of (c, i)), GST_FLOW_OK);
  link.end ();
  ck_assert_uint_eq (link.results (), 3);
  bool ended = false;
  while (const Own event = gst_harness_try_pull_event (link.harness ()))
    ended = ended || GST_EVENT_TYPE (event.get ()) == GST_EVENT_EOS;
  fail_unless (ended);
  ck_assert_int_eq (link.push (frame_of (c, 9)), GST_FLOW_EOS);
}

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

/* Times, offsets, flags, and the metas that stay valid for a filtered picture. */
TEST (metadata, G_N_ELEMENTS (lines))
{
  static const guint flags =
      GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_MARKER | GST_BUFFER_FLAG_DROPPABLE | GST_VIDEO_BUFFER_FLAG_ONEFIELD;
  const Case c = median_case (33, 17);
  Link link (lines[__i__], usual_caps (caps_small));
  GstBuffer *buffer = frame_of (c, 1);
  const Own clock = gst_caps_new_empty_simple ("timestamp/x-test");
  GST_BUFFER_PTS (buffer) = 1234567;
  GST_BUFFER_DTS (buffer) = 1234000;
  GST_BUFFER_DURATION (buffer) = 33333;
  GST_BUFFER_OFFSET (buffer) = 77;
  GST_BUFFER_OFFSET_END (buffer) = 78;
  GST_BUFFER_FLAG_SET (buffer, flags);
  add_metas (buffer, clock);

  const Own result = link.filter (buffer);
  ck_assert_uint_eq (GST_BUFFER_PTS (result), 1234567);
  ck_assert_uint_eq (GST_BUFFER_DTS (result), 1234000);
  ck_assert_uint_eq (GST_BUFFER_DURATION (result), 33333);
  ck_assert_uint_eq (GST_BUFFER_OFFSET (result), 77);
  ck_assert_uint_eq (GST_BUFFER_OFFSET_END (result), 78);
  ck_assert_uint_eq (GST_BUFFER_FLAGS (result) & flags, flags);
  check_metas (result, clock);
}

/* A frame that is too late according to the sink is dropped, and the bus gets a QoS message. */
TEST (quality_of_service)
{
  const Case c = median_case (33, 17);
  Link link ("clmedian qos=true", usual_caps (caps_small));
  gst_buffer_unref (link.filter (frame_of (c, 0)));
  fail_unless (gst_harness_push_upstream_event (
      link.harness (), gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2.0, GST_SECOND, GST_SECOND)));
  ck_assert_int_eq (link.push (timed (frame_of (c, 1), GST_SECOND, GST_SECOND / 30)), GST_FLOW_OK);
  test_check (!gst_harness_try_pull (link.harness ()), "a late frame is not dropped");
  gst_buffer_unref (link.filter (timed (frame_of (c, 2), 10 * GST_SECOND, GST_SECOND / 30)));
  const Own message = gst_bus_pop_filtered (link.bus (), GST_MESSAGE_QOS);
  test_check (message, "no message about the dropped frame");
}

/* New formats and sizes in one stream. */
TEST (caps_changes, 2)
{
  static const struct {
    GstVideoFormat format;
    int width, height;
  } steps[] = {{GST_VIDEO_FORMAT_RGBA, 33, 17}, {GST_VIDEO_FORMAT_I420, 33, 17}, {GST_VIDEO_FORMAT_I420, 67, 41},
      {GST_VIDEO_FORMAT_NV12, 33, 17}, {GST_VIDEO_FORMAT_NV12, 67, 41}, {GST_VIDEO_FORMAT_GRAY16_LE, 5, 3},
      {GST_VIDEO_FORMAT_RGBA, 33, 17}, {GST_VIDEO_FORMAT_RGBA, 1, 1}};
  Case c = median_case (33, 17);
  Link link (__i__ ? "clupload ! clmedian ! cldownload" : "clmedian", usual_caps (caps_small));
  for (const auto &step : steps) {
    c.format = step.format;
    c.width = step.width;
    c.height = step.height;
    gst_harness_set_caps_str (link.harness (), in_caps_of (c).c_str (), out_caps_of (c).c_str ());
    for (const unsigned number : {1, 2})
      filter_and_check (c, link, number, "after " + caps_of (c));
  }
}

/* In a mixed stream only flagged buffers hold two fields. */
TEST (mixed_interlacing)
{
  Case c = median_case (33, 17);
  const std::string caps = std::string (caps_small) + ",interlace-mode=mixed";
  Link link ("clmedian", usual_caps (caps));
  for (const unsigned number : {1, 2, 3}) {
    c.common.interlaced = number != 2;
    filter_and_check (c, link, number, c.common.interlaced ? "an interlaced buffer" : "a progressive buffer");
  }
}

TEST (odd_framerates, G_N_ELEMENTS (lines))
{
  const Case c = median_case (33, 17);
  for (const char *rate : {"0/1", "1/1000", "30000/1001", "1000/1"}) {
    const std::string caps = format ("video/x-raw,format=RGBA,width=33,height=17,framerate=%s", rate);
    Link link (lines[__i__], usual_caps (caps));
    gst_buffer_unref (link.filter (frame_of (c, 1)));
  }
}

TEST (latency, G_N_ELEMENTS (lines))
{
  const Case c = median_case (33, 17);
  Link link (lines[__i__], usual_caps (caps_small));
  link.set_live (true); /* other cases do not query it */
  gst_harness_set_upstream_latency (link.harness (), 20 * GST_MSECOND);
  gst_buffer_unref (link.filter (frame_of (c, 1)));
  ck_assert_uint_eq (gst_harness_query_latency (link.harness ()), 20 * GST_MSECOND);
}

/* The second start finds its programs in the cache. */
TEST (first_frame, G_N_ELEMENTS (lines))
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

/* A stop while frames are passing between threads. */
TEST (stop_in_the_middle, G_N_ELEMENTS (lines))
{
  for (int i = 0; i < 5; i++) {
    Pipeline pipeline (pipeline_of (lines[__i__], "videotestsrc", "queue ! fakesink sync=false"));
    pipeline.must_reach (GST_STATE_PLAYING);
    g_usleep (20000 * i);
    pipeline.must_reach (GST_STATE_NULL);
  }
}

/* Filters that hold frames. */
static const char *holders[] = {
    "cltemporal frames=5", "clstabilize smoothing=3", "cldeinterlace mode=always fields=top", "cldeinterlace mode=always"};

/* The output in order: "frame 0", "tag", ... */
static GstPadProbeReturn
note_output (GstPad *, GstPadProbeInfo *info, gpointer data)
{
  auto &noted = *static_cast<std::vector<std::string> *> (data);
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    noted.push_back (format ("frame %d", int (GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)) * 25 / GST_SECOND)));
  else if (info->type & GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM)
    noted.push_back (GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info)) == GST_QUERY_DRAIN ? "drain" : "query");
  else
    noted.push_back (gst_event_type_get_name (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))));
  return GST_PAD_PROBE_OK;
}

struct Holder {
  Link link;
  const int results;
  std::vector<std::string> noted;

  explicit Holder (const char *line, GstSegmentFlags flags = GST_SEGMENT_FLAG_NONE)
      : link (line, "video/x-raw,format=GRAY8,width=32,height=16,framerate=25/1", "video/x-raw"),
        results (g_str_has_suffix (line, "always") ? 2 : 1)
  {
    GstSegment segment;
    gst_segment_init (&segment, GST_FORMAT_TIME);
    segment.flags = flags;
    segment.stop = 4 * GST_SECOND / 25;
    fail_unless (gst_harness_push_event (link.harness (), gst_event_new_segment (&segment)));
    const auto types = GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM;
    gst_pad_add_probe (
        link.harness ()->sinkpad, GstPadProbeType (types | GST_PAD_PROBE_TYPE_PUSH), note_output, &noted, nullptr);
  }

  void push (int i)
  {
    GstBuffer *buffer = filled (32 * 16, 20 * i);
    timed (buffer, i * GST_SECOND / 25, GST_SECOND / 25);
    ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
  }

  std::vector<std::string> frames (std::initializer_list<const char *> names) const
  {
    std::vector<std::string> all;
    for (const char *name : names)
      all.insert (all.end (), g_str_has_prefix (name, "frame") ? results : 1, name);
    return all;
  }

  /* Ignores everything that is not expected, such as caps. */
  void expect (std::initializer_list<const char *> names, const char *what)
  {
    const std::vector<std::string> wanted = frames (names);
    std::erase_if (noted, [&] (const std::string &name) { return std::ranges::find (wanted, name) == wanted.end (); });
    std::string is;
    for (const std::string &each : noted)
      is += each + ", ";
    test_check (noted == wanted, "%s: %s", what, is.c_str ());
  }
};

/* Tags and similar events are pushed before the frame that follows them. */
TEST (events_among_frames, system_only (G_N_ELEMENTS (holders)))
{
  Holder holder (holders[__i__]);
  GstHarness *h = holder.link.harness ();
  holder.push (0);
  holder.push (1);
  fail_unless (gst_harness_push_event (h, gst_event_new_tag (gst_tag_list_new_empty ())));
  holder.push (2);
  fail_unless (gst_harness_push_event (h, gst_video_event_new_downstream_force_key_unit (0, 0, 0, TRUE, 0)));
  holder.push (3);
  holder.link.end ();
  holder.expect ({"frame 0", "frame 1", "tag", "frame 2", "custom-downstream", "frame 3", "eos"}, holders[__i__]);
}

/* Nothing is held after an event that tells that no frame follows for now. */
TEST (nothing_held, system_only (5 * G_N_ELEMENTS (holders)))
{
  const char *line = holders[__i__ / 5];
  const int way = __i__ % 5;
  Holder holder (line, way == 4 ? GST_SEGMENT_FLAG_SEGMENT : GST_SEGMENT_FLAG_NONE);
  GstHarness *h = holder.link.harness ();
  for (int i = 0; i < 4; i++)
    holder.push (i);
  g_autoptr (GstQuery) drain = gst_query_new_drain ();
  static const char *ends[] = {"segment-done", "custom-downstream", "drain", "caps", nullptr};
  if (way == 0)
    fail_unless (gst_harness_push_event (h, gst_event_new_segment_done (GST_FORMAT_TIME, 4 * GST_SECOND / 25)));
  else if (way == 1)
    fail_unless (gst_harness_push_event (h, gst_video_event_new_still_frame (TRUE)));
  else if (way == 2)
    gst_pad_peer_query (h->srcpad, drain);
  else if (way == 3)
    gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width=16,height=16,framerate=25/1");
  /* sources announce the end of a segment before they send the event, so its last frame is pushed at once */
  if (ends[way])
    holder.expect ({"frame 0", "frame 1", "frame 2", "frame 3", ends[way]}, line);
  else
    holder.expect ({"frame 0", "frame 1", "frame 2", "frame 3"}, line);
}

/* Upstream is asked for as many buffers as are held, in any mode. */
TEST (asked_buffers, system_only (5))
{
  static const std::pair<const char *, guint> least[] = {{"cltemporal frames=5", 5}, {"cltemporal frames=33", 33},
      {"cltemporal frames=33 strength=0", 33}, {"clstabilize smoothing=10", 11}, {"cldeinterlace mode=always", 3}};
  const auto &[line, wanted] = least[__i__];
  Holder holder (line);
  holder.push (0);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (holder.link.harness ()->srcpad);
  for (const bool need_pool : {true, false}) {
    g_autoptr (GstQuery) query = gst_query_new_allocation (caps, need_pool);
    fail_unless (gst_pad_peer_query (holder.link.harness ()->srcpad, query));
    test_check (gst_query_get_n_allocation_pools (query) > 0, "%s asks for no buffers", line);
    guint size, min, max;
    gst_query_parse_nth_allocation_pool (query, 0, nullptr, &size, &min, &max);
    test_check (min >= wanted && (max == 0 || max >= min), "%s asks for %u to %u buffers", line, min, max);
  }
}

/* Sources with fewer buffers than are held do not stall. */
TEST (small_pool, system_only (G_N_ELEMENTS (holders)))
{
  Holder holder (holders[__i__]);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (holder.link.harness ()->srcpad);
  const Own pool = gst_video_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, 32 * 16, 3, 3);
  fail_unless (gst_buffer_pool_set_config (pool, config) && gst_buffer_pool_set_active (pool, TRUE));
  for (int i = 0; i < 12; i++) {
    GstBuffer *buffer = nullptr;
    GstBufferPoolAcquireParams params{};
    params.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT;
    for (int turn = 0; turn < 1000 && gst_buffer_pool_acquire_buffer (pool, &buffer, &params) != GST_FLOW_OK; turn++)
      g_usleep (5000);
    test_check (buffer, "%s: no buffer for frame %d", holders[__i__], i);
    gst_buffer_memset (buffer, 0, guint8 (20 * i), 32 * 16);
    GST_BUFFER_PTS (buffer) = i * GST_SECOND / 25;
    ck_assert_int_eq (holder.link.push (buffer), GST_FLOW_OK);
    while (GstBuffer *result = gst_harness_try_pull (holder.link.harness ()))
      gst_buffer_unref (result);
  }
  gst_buffer_pool_set_active (pool, FALSE);
}

/* The same for messages about frames. */
TEST (nothing_unreported, system_only (3))
{
  Holder holder ("clhistogram", __i__ ? GST_SEGMENT_FLAG_NONE : GST_SEGMENT_FLAG_SEGMENT);
  for (int i = 0; i < 4; i++)
    holder.push (i);
  g_autoptr (GstQuery) drain = gst_query_new_drain ();
  if (__i__ == 1)
    fail_unless (gst_harness_push_event (holder.link.harness (), gst_event_new_segment_done (GST_FORMAT_TIME, 0)));
  else if (__i__ == 2)
    gst_pad_peer_query (holder.link.harness ()->srcpad, drain);
  for (int i = 0; i < 4; i++) {
    g_autoptr (GstMessage) message = gst_bus_pop_filtered (holder.link.bus (), GST_MESSAGE_ELEMENT);
    test_check (message, "%d reports, not 4", i);
  }
}

}  // namespace test::stream_suite
