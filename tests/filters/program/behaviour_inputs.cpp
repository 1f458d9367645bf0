/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clprogram with several inputs: their current frames, pads that are added and removed, states. */
#include "behaviour.hpp"

namespace test::program_inputs_suite {

static Tests tests ("program_inputs", Needs::Device);

static const std::string second_input = "kernel void k (COMPONENT_ARGS) { COMPONENT_BEGIN OUT (input_sample (1, x, y)); }";

/* Two inputs in both scopes: the result has the first one's times, and the second one's current frame. */
TEST (inputs, 4)
{
  const bool whole_pixels = __i__ % 2;
  const GstVideoFormat id = __i__ / 2 ? GST_VIDEO_FORMAT_I420 : GST_VIDEO_FORMAT_RGBA;
  const std::string kernel =
      whole_pixels
          ? "kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (fabs (PIXEL (0, 0) - input_pixel (1, x, y))); }"
          : "kernel void k (COMPONENT_ARGS) { COMPONENT_BEGIN OUT (abs (VAL - input_sample (1, x, y)) + INPUTS - 2); }";
  Inputs streams (
      program (kernel, "planes=15"), {{raw_caps (id, 34, 18), "sink"}, {raw_caps (id, 34, 18, "framerate=10/1"), "sink_1"}});
  for (int i = 0; i < 4; i++)
    streams.push (1, flat (id, 34, 18, 10 * i), i * GST_SECOND / 10, GST_SECOND / 10);
  for (int i = 0; i < 12; i++)
    streams.push (0, flat (id, 34, 18, 100), i * GST_SECOND / 30 + 7, GST_SECOND / 30);
  streams.end_all ();
  for (int i = 0; i < 12; i++) {
    GstClockTime pts = 0;
    const ref::Picture out = streams.pull_picture (&pts);
    ck_assert_uint_eq (pts, i * GST_SECOND / 30 + 7);
    for (const ref::Component &component : out.components)
      for (const int value : component.value)
        if (component.name != 'a')
          test_check (value == 100 - 10 * (i / 3), "frame %d, %c: %d", i, component.name, value);
  }
  streams.expect_end ();
}

/* The second input ends early, or sends nothing at all: the stream continues. */
TEST (short_input, 2)
{
  Inputs streams (program (second_input), {{raw_caps (gray, 16, 16), "sink"}, {raw_caps (gray, 16, 16), "sink_1"}});
  if (__i__ == 1)
    streams.push (1, flat (gray, 16, 16, 9));
  streams.end (1);
  for (int i = 0; i < 5; i++)
    streams.push (0, flat (gray, 16, 16, 50), i * frame_time);
  streams.end (0);
  for (int i = 0; i < 5; i++)
    expect_flat (streams.pull_picture (), __i__ == 1 ? 9 : 50, "the second input");
  streams.expect_end ();
}

/* In a gap, and when its segment is done, the second input shows its last frame, and the first one does not wait. */
TEST (gap, 2)
{
  Inputs streams (program (second_input), {{raw_caps (gray, 16, 16), "sink"}, {raw_caps (gray, 16, 16), "sink_1"}});
  streams.push (1, flat (gray, 16, 16, 9), 0, frame_time);
  streams.push_event (
      1, __i__ ? gst_event_new_segment_done (GST_FORMAT_TIME, 0) : gst_event_new_gap (frame_time, 4 * frame_time));
  for (int i = 0; i < 4; i++)
    streams.push (0, flat (gray, 16, 16, 50), i * frame_time, frame_time);
  for (int i = 0; i < 4; i++)
    expect_flat (streams.pull_picture (), 9, "the second input");
  streams.end_all ();
  streams.expect_end ();
}

/* The number in a pad's name counts, in any order; a number without a pad shows the main frame. */
TEST (numbers)
{
  Inputs streams (program (second_input),
      {{raw_caps (gray, 16, 16), "sink"}, {raw_caps (gray, 16, 16), "sink_2"}, {raw_caps (gray, 16, 16), "sink_1"}});
  streams.push (2, flat (gray, 16, 16, 2));
  for (const int frame : {0, 1}) {
    streams.push (1, flat (gray, 16, 16, 1), frame * frame_time);
    streams.push (0, flat (gray, 16, 16, 50), frame * frame_time);
    expect_flat (streams.pull_picture (), frame ? 50 : 2, "input 1");
    const Own pad = gst_element_get_static_pad (streams.tested (), "sink_1");
    if (pad)
      gst_element_release_request_pad (streams.tested (), pad);
  }
  for (const char *name : {"sink_0", "sink_8"})
    test_check (!gst_element_request_pad_simple (streams.tested (), name), "%s is a pad", name);
  for (const char *name : {"sink_1", "sink_3"}) {
    const Own pad = gst_element_request_pad_simple (streams.tested (), "sink_%u");
    ck_assert_str_eq (GST_PAD_NAME (pad.get ()), name);
  }
}

/* Links without names of pads. */
TEST (unnamed_links)
{
  Pipeline pipeline ("videotestsrc ! p. videotestsrc ! p. videotestsrc ! p. clprogram name=p ! fakesink");
  for (const char *name : {"sink", "sink_1", "sink_2"}) {
    const Own pad = gst_element_get_static_pad (pipeline.element ("p"), name);
    test_check (pad && gst_pad_is_linked (pad), "%s is not linked", name);
  }
}

/* Frames that pass unchanged take the other inputs along. */
TEST (passing, 3)
{
  static const char *const passing[] = {"mix=0", "planes=0", "roi-source=meta"};
  Pipeline pipeline ("videotestsrc num-buffers=20 ! video/x-raw,format=GRAY8,width=16,height=16 ! tee name=t ! queue "
                     "max-size-buffers=2 ! p.sink "
                     "t. ! queue max-size-buffers=2 ! p.sink_1 "
                     + program (second_input, std::string ("name=p ") + passing[__i__]) + " ! fakesink sync=false");
  pipeline.play_to_end ();
}

/* When the first pad has ended, the others end, too, until it begins again. */
TEST (end_of_all)
{
  Link link (program (second_input), raw_caps (gray, 16, 16));
  GstElement *tested = link.element ("clprogram");
  const Own to = gst_element_request_pad_simple (tested, "sink_1"), from = gst_pad_new ("from", GST_PAD_SRC);
  ck_assert_int_eq (gst_pad_link (from, to), GST_PAD_LINK_OK);
  gst_pad_set_active (from, TRUE);
  const Own caps = gst_caps_from_string (raw_caps (gray, 16, 16).c_str ());
  gst_check_setup_events_with_stream_id (from, tested, caps, GST_FORMAT_TIME, "second");
  int number = 0;
  const auto frame = [&] (int value) {
    return timed (
        to_buffer (flat (gray, 16, 16, value), Storage::Tight, raw_caps (gray, 16, 16)), number * frame_time, frame_time);
  };
  for (const bool flushes : {true, false}) {
    ck_assert_int_eq (gst_pad_push (from, frame (9)), GST_FLOW_OK);
    const Own result = link.filter (frame (50));
    expect_flat (from_buffer (result, caps), 9, "the second input");
    number++;
    link.end ();
    ck_assert_int_eq (gst_pad_push (from, frame (9)), GST_FLOW_EOS);
    if (flushes)
      link.flush ();
    else
      fail_unless (gst_harness_push_event (link.harness (), gst_event_new_stream_start ("again")));
  }
  ck_assert_int_eq (gst_pad_push (from, frame (9)), GST_FLOW_OK);
  gst_pad_set_active (from, FALSE);
}

/* A pad is released while the first pad waits for its frame, or while the pad itself waits to deliver one: the stream
 * continues. */
TEST (released_input, 2)
{
  Inputs streams (program (second_input), {{raw_caps (gray, 16, 16), "sink"}, {raw_caps (gray, 16, 16), "sink_1"}});
  const bool first_waits = __i__ == 0;
  if (first_waits)
    streams.push (0, flat (gray, 16, 16, 50));
  for (int i = 0; i < 2 && !first_waits; i++)
    streams.push (1, flat (gray, 16, 16, 9), i * frame_time);
  g_usleep (100000); /* until a thread waits */
  const Own pad = gst_element_get_static_pad (streams.tested (), "sink_1");
  gst_element_release_request_pad (streams.tested (), pad);
  for (int i = first_waits; i < 5; i++)
    streams.push (0, flat (gray, 16, 16, 50), i * frame_time);
  streams.end (0);
  for (int i = 0; i < 5; i++)
    expect_flat (streams.pull_picture (), 50, "a frame without the second input");
  streams.expect_end ();
}

/* Pads are added and removed while all streams flow. */
TEST (inputs_under_way)
{
  Pipeline pipeline ("videotestsrc ! video/x-raw,format=GRAY8,width=16,height=16,framerate=30/1 ! tee name=t ! queue ! p.sink "
                     + program (second_input, "name=p") + " ! fakesink sync=false");
  GstElement *tee = pipeline.element ("t"), *tested = pipeline.element ("p");
  pipeline.must_reach (GST_STATE_PLAYING);
  for (int i = 0; i < 60; i++) {
    GstElement *queue = gst_element_factory_make ("queue", nullptr);
    gst_bin_add (GST_BIN (pipeline.top ()), queue);
    const Own from = gst_element_request_pad_simple (tee, "src_%u"), to = gst_element_request_pad_simple (tested, "sink_%u");
    const Own in = gst_element_get_static_pad (queue, "sink"), out = gst_element_get_static_pad (queue, "src");
    ck_assert_int_eq (gst_pad_link (out, to), GST_PAD_LINK_OK);
    gst_element_sync_state_with_parent (queue);
    ck_assert_int_eq (gst_pad_link (from, in), GST_PAD_LINK_OK);
    g_usleep (2000 * (i % 10));
    gst_pad_unlink (from, in); /* GStreamer 1.22's tee removes a pad's segment before its link, and may push a frame between */
    gst_element_release_request_pad (tee, from);
    g_usleep (1000 * (i % 3)); /* meanwhile the first pad waits for it */
    gst_element_release_request_pad (tested, to);
    gst_element_set_state (queue, GST_STATE_NULL);
    gst_bin_remove (GST_BIN (pipeline.top ()), queue);
  }
  const guint64 frames = stat (tested, "frames");
  for (int i = 0; i < 500 && stat (tested, "frames") < frames + 10; i++)
    g_usleep (10000);
  test_check (stat (tested, "frames") >= frames + 10, "the stream stands still");
  pipeline.must_reach (GST_STATE_NULL);
  fail_unless (errors_of (pipeline.bus ()).empty ());
}

TEST (mismatch)
{
  check_mismatch (
      "clprogram source=\"kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (PIXEL (0, 0)); }\"", "sink", "sink_1");
}

/* After a flushing seek, the first pad's frames wait for those that the other pad has there. */
TEST (seeks)
{
  const std::string source = "videotestsrc pattern=ball ! video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1 ! ";
  Pipeline pipeline (
      program ("kernel void k (COMPONENT_ARGS) { COMPONENT_BEGIN OUT (abs (VAL - input_sample (1, x, y))); }", "name=p")
      + " ! fakesink name=sink sync=false " + source + "p.sink " + source + "identity sleep-time=1000 ! p.sink_1");
  pipeline.must_reach (GST_STATE_PAUSED);
  for (int i = 0; i < 100; i++) {
    pipeline.seek (GstClockTime (i) * 37 % 250 * GST_SECOND / 25);
    GstSample *sample = nullptr;
    g_object_get (pipeline.element ("sink"), "last-sample", &sample, nullptr);
    GstMapInfo map;
    test_check (sample && gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ), "seek %d shows nothing", i);
    test_check (std::all_of (map.data, map.data + map.size, [] (guint8 v) { return v == 0; }), "seek %d shows an old frame", i);
    gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
    gst_sample_unref (sample);
  }
}

/* In a live stream, frames do not wait for an input that has not begun. */
TEST (late_input)
{
  const std::string source = "videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=16,height=16,framerate=100/1 ! ";
  Pipeline pipeline (
      program (second_input, "name=p") + " ! fakesink " + source + "p.sink " + source + "valve drop=true ! p.sink_1");
  pipeline.reach (GST_STATE_PLAYING);
  for (int i = 0; i < 500 && stat (pipeline.element ("p"), "frames") < 5; i++)
    g_usleep (10000);
  test_check (stat (pipeline.element ("p"), "frames") >= 5, "the stream waits");
}

/* State changes and seeks with threads that wait for each other. */
TEST (states)
{
  Pipeline pipeline (
      "videotestsrc num-buffers=60 ! video/x-raw,width=32,height=32,framerate=30/1 ! tee name=t t. ! queue ! p.sink "
      "t. ! queue ! p.sink_5 clprogram name=p source=\"kernel void k (PIXEL_ARGS) { PIXEL_BEGIN "
      "OUT_PIXEL (input_pixel (1, x, y)); }\" ! fakesink");
  for (const GstState state : {GST_STATE_PLAYING, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_NULL, GST_STATE_PAUSED})
    pipeline.must_reach (state);
  pipeline.seek (GST_SECOND);
  pipeline.play_to_end ();
  fail_unless (pipeline.errors ().empty ());
}

}  // namespace test::program_inputs_suite
