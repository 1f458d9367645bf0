/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What applications do to a playing pipeline, done to every element: seeks, seeks in reverse, pauses, new caps, restarts. What arrives at the
 * sink must make sense: a frame has its caps' size, times go one way within a segment. Nothing is compiled: a layer replaces the kernels
 * (tests/machinery/census). */
#include "../elements/suite.hpp"
#include "element_lines.hpp"

#include "core/context.hpp"

#include <condition_variable>
#include <mutex>

#include <gst/video/video.h>

namespace test::scenarios_suite {

static Tests tests ("scenarios", Needs::Device);

/* Checks all that passes the pad of a sink. Its functions are called from the streaming thread, and from the test. */
class Watch {
public:
  explicit Watch (GstPad *pad)
  {
    const auto types =
        GstPadProbeType (GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH);
    gst_pad_add_probe (
        pad, types, [] (GstPad *, GstPadProbeInfo *info, gpointer self) { return static_cast<Watch *> (self)->see (info); },
        this, nullptr);
  }

  /* Waits for a frame that arrives from now on, of this width unless it is 0; returns false at the end of the stream, or after 20 seconds. */
  bool frame (int width = 0)
  {
    std::unique_lock lock (mutex);
    const unsigned before = frames;
    const auto came = [&] { return ended || (frames > before && (!width || GST_VIDEO_INFO_WIDTH (&info) == width)); };
    return changed.wait_for (lock, std::chrono::seconds (20), came) && !ended;
  }

  std::string complaint ()
  {
    const std::lock_guard lock (mutex);
    return found;
  }

private:
  GstPadProbeReturn see (GstPadProbeInfo *probe)
  {
    const std::lock_guard lock (mutex);
    if (GST_IS_BUFFER (probe->data))
      see_frame (GST_PAD_PROBE_INFO_BUFFER (probe));
    else
      see_event (GST_PAD_PROBE_INFO_EVENT (probe));
    changed.notify_all ();
    return GST_PAD_PROBE_OK;
  }

  void see_event (GstEvent *event)
  {
    GstCaps *caps = nullptr;
    switch (GST_EVENT_TYPE (event)) {
      case GST_EVENT_CAPS:
        gst_event_parse_caps (event, &caps);
        if (!gst_video_info_from_caps (&info, caps))
          found = "caps that describe no video";
        break;
      case GST_EVENT_SEGMENT:
        gst_event_copy_segment (event, &segment);
        last = GST_CLOCK_TIME_NONE;
        break;
      case GST_EVENT_FLUSH_STOP:
        gst_segment_init (&segment, GST_FORMAT_UNDEFINED);
        ended = false;
        break;
      case GST_EVENT_EOS:
        ended = true;
        break;
      default:
        break;
    }
  }

  void see_frame (GstBuffer *frame)
  {
    frames++;
    if (GST_VIDEO_INFO_WIDTH (&info) == 0)
      found = "a frame before caps";
    else if (gst_buffer_get_size (frame) < GST_VIDEO_INFO_SIZE (&info))
      found = format ("a frame of %zu bytes, of %d x %d pixels", gst_buffer_get_size (frame), GST_VIDEO_INFO_WIDTH (&info),
          GST_VIDEO_INFO_HEIGHT (&info));
    else if (segment.format != GST_FORMAT_TIME)
      found = "a frame before the segment";
    else if (GST_CLOCK_TIME_IS_VALID (last)
             && (segment.rate > 0 ? GST_BUFFER_PTS (frame) < last : GST_BUFFER_PTS (frame) > last))
      found = format (
          "%" GST_TIME_FORMAT " behind %" GST_TIME_FORMAT, GST_TIME_ARGS (GST_BUFFER_PTS (frame)), GST_TIME_ARGS (last));
    last = GST_BUFFER_PTS (frame);
  }

  std::mutex mutex;
  std::condition_variable changed;
  GstVideoInfo info{};
  GstSegment segment{};
  GstClockTime last = GST_CLOCK_TIME_NONE;
  unsigned frames = 0;
  bool ended = false;
  std::string found;
};

/* A pipeline of one element that plays until the end of the test. */
class Scene {
public:
  explicit Scene (const Line &line_) : line (line_), pads (sink_pads (line.element, formats))
  {
    skip_kernels (true);
    pipeline = parsed (fed (line, pads, "I420", -1), context.get ());
    const Own sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
    pad = gst_element_get_static_pad (sink, "sink");
    watch = std::make_unique<Watch> (pad);
    play ("at first");
  }
  ~Scene ()
  {
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (pad);
    gst_object_unref (pipeline);
    skip_kernels (false);
  }

  /* Plays, and waits for a frame. */
  void play (const char *when, int width = 0)
  {
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    const bool came = watch->frame (width);
    check (when);
    test_check (came, "%s: no frame %s", line.launch.c_str (), when);
  }

  void check (const char *when)
  {
    test_check (watch->complaint ().empty (), "%s: %s: %s", line.launch.c_str (), when, watch->complaint ().c_str ());
    const Own bus = gst_element_get_bus (pipeline);
    const Own error = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    test_check (!error, "%s: %s: %" GST_PTR_FORMAT, line.launch.c_str (), when, error.get ());
  }

  void seek (double rate, GstClockTime from, GstClockTime to)
  {
    test_check (
        gst_element_seek (pipeline, rate, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, from, GST_SEEK_TYPE_SET, to),
        "%s: a seek at rate %g fails", line.launch.c_str (), rate);
  }

  const Line line;
  std::vector<std::string> formats;
  const std::vector<std::string> pads;
  const gst::cl::ContextRef context = gst::cl::create_context ("");
  GstElement *pipeline = nullptr;
  GstPad *pad = nullptr;
  std::unique_ptr<Watch> watch;
};

/* A quick run plays a third of the elements. */
TEST (seeks_and_pauses, lines ().size (), 3)
{
  Scene scene (lines ()[__i__]);
  for (int i = 1; i <= 4; i++) {
    scene.seek (1, i * GST_SECOND, GST_CLOCK_TIME_NONE);
    if (i % 2)
      scene.play ("after a seek");
  }
  for (int i = 0; i < 3; i++) {
    gst_element_set_state (scene.pipeline, GST_STATE_PAUSED);
    /* a bin may stay paused when it is to play while its sink still waits for a frame */
    gst_element_get_state (scene.pipeline, nullptr, nullptr, 20 * GST_SECOND);
    scene.play ("after a pause");
  }
  scene.seek (-1, 0, 100 * GST_SECOND);
  scene.play ("in reverse");
  scene.seek (1, 0, GST_CLOCK_TIME_NONE);
  scene.play ("forward again");
  gst_element_set_state (scene.pipeline, GST_STATE_READY);
  scene.play ("after a restart");
}

/* One input only: elements of several inputs have rules of their own about caps that differ. */
TEST (storms_of_caps, lines ().size (), 3, 1)
{
  Scene scene (lines ()[__i__]);
  if (scene.pads.size () > 1)
    return;
  const Own filter = gst_bin_get_by_name (GST_BIN (scene.pipeline), "filter");
  const Own input = gst_element_get_static_pad (filter, scene.pads[0].c_str ());
  const Own source = gst_pad_get_peer (input);
  const Own caps_filter = gst_pad_get_parent_element (source);
  /* frames with the caps before are still on their way */
  gst_util_set_object_arg (G_OBJECT (caps_filter.get ()), "caps-change-mode", "delayed");
  for (int i = 0; i < 12; i++) {
    const std::string &next = scene.formats[size_t (i) * 7 % scene.formats.size ()];
    const Own caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, next.c_str (), "width", G_TYPE_INT,
        64 + 33 * (i % 5), "height", G_TYPE_INT, 240 - 31 * (i % 7), nullptr);
    g_object_set (caps_filter, "caps", caps.get (), nullptr);
    if (i % 3 == 2)
      scene.play (("after " + next).c_str ());
    if (i == 6)
      scene.seek (1, GST_SECOND, GST_CLOCK_TIME_NONE);
  }
}

}  // namespace test::scenarios_suite
