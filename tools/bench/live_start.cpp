/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-bench-live: one start of a live stream, for ./run bench live. Pushes frames into a launch line at a camera's pace, and
 * prints when each result came. */
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace {

/** When each frame of a stream came, by its time stamp, in µs since the state change. */
struct Arrivals {
  gint64 begin_us = 0;
  GstVideoInfo info;
  std::mutex mutex;
  std::vector<std::pair<GstClockTime, gint64>> frames;
};

/* A frame has come when the host can read it. */
void
take (GstElement *, GstBuffer *buffer, GstPad *, gpointer data)
{
  Arrivals &arrivals = *static_cast<Arrivals *> (data);
  GstMapInfo map;
  if (gst_buffer_map (buffer, &map, GST_MAP_READ))
    gst_buffer_unmap (buffer, &map);
  const std::lock_guard lock (arrivals.mutex);
  arrivals.frames.emplace_back (GST_BUFFER_PTS (buffer), g_get_monotonic_time () - arrivals.begin_us);
}

/* Noise, so that no filter can take a shortcut. */
GstBuffer *
make_frame (const GstVideoInfo &info)
{
  GstBuffer *frame = gst_buffer_new_allocate (nullptr, info.size, nullptr);
  GstMapInfo map;
  gst_buffer_map (frame, &map, GST_MAP_WRITE);
  guint32 state = 1;
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = (state = state * 1664525 + 1013904223) >> 24;
  gst_buffer_unmap (frame, &map);
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

int
play (GstElement *pipeline, const GstCaps *caps, int n)
{
  Arrivals arrivals;
  gst_video_info_from_caps (&arrivals.info, caps);
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_object_set (source, "caps", caps, "is-live", TRUE, "format", GST_FORMAT_TIME, "max-bytes", guint64 (0), nullptr);
  g_object_set (sink, "signal-handoffs", TRUE, "sync", FALSE, nullptr);
  g_signal_connect (sink, "handoff", G_CALLBACK (take), &arrivals);
  GstBuffer *frame = make_frame (arrivals.info);
  arrivals.begin_us = g_get_monotonic_time ();
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push (GST_APP_SRC (source), frame, arrivals, n);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *end = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GstMessageType (GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  const bool played = GST_MESSAGE_TYPE (end) == GST_MESSAGE_EOS;
  const GstClockTime latency = latency_of (sink);
  gst_message_unref (end);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  for (const auto &[pts, came] : arrivals.frames)
    std::printf ("%.3f %.3f\n", double (pts + latency) / GST_MSECOND, double (came) / 1000);
  gst_object_unref (bus);
  gst_buffer_unref (frame);
  gst_object_unref (source);
  gst_object_unref (sink);
  return played ? 0 : 1;
}

}  // namespace

/* Arguments: launch line (appsrc name=source ... fakesink name=sink), caps, number of frames. Prints for each frame when it was
 * due, and when it came, in ms. */
int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  if (argc != 4)
    return 2;
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch (argv[1], &error);
  GstCaps *caps = gst_caps_from_string (argv[2]);
  if (error || !pipeline || !caps) {
    std::fprintf (stderr, "%s\n", error ? error->message : "no caps");
    return 2;
  }
  const int status = play (pipeline, caps, std::atoi (argv[3]));
  gst_object_unref (pipeline);
  gst_caps_unref (caps);
  return status;
}
