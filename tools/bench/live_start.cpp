/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-bench-live: one start of a live stream, for ./run bench live. Pushes frames into a launch line at a camera's pace from
 * PLAYING on, as live sources do, and prints when each result came. */
#include "pads.hpp"

#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace {

/** When each frame of a stream came, by its time stamp, in µs since the pipeline was PLAYING. */
struct Arrivals {
  gint64 begin_us = 0;
  GstVideoInfo info;
  std::mutex mutex;
  std::vector<std::pair<GstClockTime, gint64>> frames;
};

/* Noise, so that no filter can take a shortcut. */
Buffer
make_frame (const GstVideoInfo &info)
{
  std::vector<guint8> noise (info.size);
  guint32 state = 1;
  for (guint8 &sample : noise)
    sample = (state = state * 1664525 + 1013904223) >> 24;
  Buffer frame (gst_buffer_new_allocate (nullptr, info.size, nullptr));
  gst_buffer_fill (frame.get (), 0, noise.data (), noise.size ());
  return frame;
}

void
push (GstAppSrc *source, GstBuffer *frame, const Arrivals &arrivals, int n)
{
  const GstClockTime period = gst_util_uint64_scale (GST_SECOND, arrivals.info.fps_d, arrivals.info.fps_n);
  for (int i = 0; i < n; i++) {
    const gint64 due = arrivals.begin_us + gint64 (i * period / 1000);
    if (const gint64 wait = due - g_get_monotonic_time (); wait > 0)
      g_usleep (wait);
    GstBuffer *buffer = gst_buffer_copy (frame);
    GST_BUFFER_PTS (buffer) = i * period;
    GST_BUFFER_DURATION (buffer) = period;
    gst_app_src_push_buffer (source, buffer);
  }
  gst_app_src_end_of_stream (source);
}

/* The latency that the elements report is allowed for. */
GstClockTime
latency_of (GstElement *sink)
{
  GstQuery *query = gst_query_new_latency ();
  GstClockTime latency = 0;
  if (gst_element_query (sink, query))
    gst_query_parse_latency (query, nullptr, &latency, nullptr);
  gst_query_unref (query);
  return latency;
}

/* Prints how long the change of state took, then for each frame when it was due, and when it came, in ms; a frame has come when
 * the host can read it. */
int
play (const std::string &line, const char *caps_text, int n)
{
  const Caps caps (gst_caps_from_string (caps_text));
  ensure (bool (caps), "no caps");
  Arrivals arrivals;
  gst_video_info_from_caps (&arrivals.info, caps.get ());
  const Running pipeline = parse_launch (line);
  const Ref<GstElement> source = element_in (pipeline, "source"), sink = element_in (pipeline, "sink");
  g_object_set (
      source.get (), "caps", caps.get (), "is-live", TRUE, "format", GST_FORMAT_TIME, "max-bytes", guint64 (0), nullptr);
  g_object_set (sink.get (), "signal-handoffs", TRUE, "sync", FALSE, nullptr);
  connect<GstBuffer *, GstPad *> (sink.get (), "handoff", [&arrivals] (GstBuffer *buffer, GstPad *) {
    map_frame (buffer);
    const std::lock_guard lock (arrivals.mutex);
    arrivals.frames.emplace_back (GST_BUFFER_PTS (buffer), g_get_monotonic_time () - arrivals.begin_us);
  });
  const Buffer frame = make_frame (arrivals.info);
  const gint64 order_us = g_get_monotonic_time ();
  gst_element_set_state (pipeline.get (), GST_STATE_PLAYING);
  arrivals.begin_us = g_get_monotonic_time ();
  push (GST_APP_SRC (source.get ()), frame.get (), arrivals, n);
  const Message end (gst_bus_timed_pop_filtered (
      bus_of (pipeline.get ()).get (), GST_CLOCK_TIME_NONE, GstMessageType (GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  const GstClockTime latency = latency_of (sink.get ());
  gst_element_set_state (pipeline.get (), GST_STATE_NULL);
  std::printf ("%.3f\n", double (arrivals.begin_us - order_us) / 1000);
  for (const auto &[pts, came] : arrivals.frames)
    std::printf ("%.3f %.3f\n", double (pts + latency) / GST_MSECOND, double (came) / 1000);
  return GST_MESSAGE_TYPE (end.get ()) == GST_MESSAGE_EOS ? 0 : 1;
}

}  // namespace

/* Arguments: launch line (appsrc name=source ... fakesink name=sink), caps, number of frames. */
int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  if (argc != 4)
    return 2;
  try {
    return play (argv[1], argv[2], std::atoi (argv[3]));
  } catch (const std::runtime_error &error) {
    std::fprintf (stderr, "%s\n", error.what ());
    return 2;
  }
}
