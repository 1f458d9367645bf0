/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "clip.hpp"

#include "../common/mappedframe.hpp"

#include <algorithm>

namespace {

constexpr gsize max_clip_bytes = 400u << 20;
constexpr guint warm_up_frames = 4; /* the first frame builds programs */
constexpr gint64 least_time = 2 * G_USEC_PER_SEC;
constexpr gint64 most_time = 10 * G_USEC_PER_SEC;

/* The duration of the frames in seconds; 0 without time stamps. */
double
duration_of (const std::vector<Sample> &frames)
{
  const GstBuffer *first = gst_sample_get_buffer (frames.front ().get ());
  const GstBuffer *last = gst_sample_get_buffer (frames.back ().get ());
  if (!GST_BUFFER_PTS_IS_VALID (first) || !GST_BUFFER_PTS_IS_VALID (last) || frames.size () < 2)
    return 0;
  const double span = double (GST_BUFFER_PTS (last) - GST_BUFFER_PTS (first)) / GST_SECOND;
  return span * double (frames.size ()) / double (frames.size () - 1);
}

/* The sum of differences between neighbouring green samples, in every eighth row. */
guint64
detail_of (GstSample *sample)
{
  GstVideoInfo info;
  if (!gst_video_info_from_caps (&info, gst_sample_get_caps (sample)))
    return 0;
  const MappedFrame mapped (&info, gst_sample_get_buffer (sample), GST_MAP_READ);
  if (!mapped)
    return 0;
  const GstVideoFrame &frame = mapped.frame;
  guint64 sum = 0;
  for (int y = 0; y < GST_VIDEO_FRAME_HEIGHT (&frame); y += 8) {
    const guint8 *row = GST_VIDEO_FRAME_COMP_DATA (&frame, 1) + y * GST_VIDEO_FRAME_COMP_STRIDE (&frame, 1);
    for (int x = 1; x < GST_VIDEO_FRAME_WIDTH (&frame); x++)
      sum += guint64 (ABS (row[4 * x] - row[4 * x - 4]));
  }
  return sum;
}

gsize
find_sharpest (const std::vector<Sample> &frames)
{
  std::vector<guint64> details;
  for (const Sample &frame : frames)
    details.push_back (detail_of (frame.get ()));
  return gsize (std::max_element (details.begin (), details.end ()) - details.begin ());
}

/* Counts arrivals at the end of the timed pipeline; written by its streaming thread, read after the end of the stream. */
struct Arrivals {
  guint count = 0, shown = 0;
  gint64 warm = 0, last = 0;
  Buffer kept = {};
};

void
note_arrival (Arrivals &arrivals, GstBuffer *buffer)
{
  GstMapInfo map;
  if (gst_buffer_map (buffer, &map, GST_MAP_READ))
    gst_buffer_unmap (buffer, &map);
  if (arrivals.count == arrivals.shown)
    arrivals.kept.reset (gst_buffer_copy_deep (buffer));
  arrivals.count++;
  arrivals.last = g_get_monotonic_time ();
  if (arrivals.count == warm_up_frames)
    arrivals.warm = arrivals.last;
}

/* Pushes the clip repeatedly until enough time has passed. */
void
feed (GstElement *source, const Clip &clip)
{
  connect<guint> (source, "need-data", [source, &clip, pushed = gsize (0), start = gint64 (0)] (guint) mutable {
    const gint64 now = g_get_monotonic_time ();
    if (pushed == warm_up_frames)
      start = now;
    const gint64 elapsed = start ? now - start : 0;
    if (elapsed > most_time || (elapsed > least_time && pushed >= clip.frames.size ()))
      gst_app_src_end_of_stream (GST_APP_SRC (source));
    else
      gst_app_src_push_sample (GST_APP_SRC (source), clip.frames[pushed++ % clip.frames.size ()].get ());
  });
}

}  // namespace

const char *const decode_launch = "filesrc name=file ! decodebin ! videoconvert n-threads=2 ! "
                                  "video/x-raw,format=RGBA";

static void
pull_frames (Clip &clip, const std::string &file, double seconds)
{
  Pipeline pipeline (std::string (decode_launch) + " ! appsink name=frames sync=false max-buffers=4", file);
  const auto sink = pipeline.element ("frames");
  pipeline.play ();

  ProgressLine progress ("decoding");
  gsize bytes = 0;
  while (Sample sample = pipeline.pull (sink.get ())) {
    const gsize size = gst_buffer_get_size (gst_sample_get_buffer (sample.get ()));
    clip.frames.push_back (std::move (sample));
    bytes += size;
    const double decoded = duration_of (clip.frames);
    progress.show (MAX (decoded / seconds, double (bytes) / max_clip_bytes));
    if (decoded >= seconds || bytes + size > max_clip_bytes)
      return;
  }
}

Clip
decode_clip (const std::string &file, double seconds)
{
  Clip clip{};
  try {
    pull_frames (clip, file, seconds);
  } catch (const std::runtime_error &error) {
    throw std::runtime_error ("no video can be decoded from " + file + "\n" + error.what ());
  }
  ensure (!clip.frames.empty (), "no video in " + file);

  GstVideoInfo info;
  ensure (gst_video_info_from_caps (&info, clip.caps ()), "no raw video in " + file);
  clip.width = GST_VIDEO_INFO_WIDTH (&info);
  clip.height = GST_VIDEO_INFO_HEIGHT (&info);
  clip.sharpest = find_sharpest (clip.frames);
  const double duration = duration_of (clip.frames);
  clip.frame_rate = duration > 0 ? double (clip.frames.size ()) / duration : 0;
  return clip;
}

Measurement
measure_filter (const Clip &clip, const std::string &filter)
{
  Pipeline pipeline ("appsrc name=source format=time ! " + filter + " name=filter ! fakesink name=sink sync=false");
  Arrivals arrivals{.shown = guint (clip.sharpest)};
  const Ref<GstPad> end = pad_of (pipeline.element ("sink").get (), "sink");
  add_probe (end.get (), GST_PAD_PROBE_TYPE_BUFFER, [&arrivals] (GstPadProbeInfo *info) {
    note_arrival (arrivals, GST_PAD_PROBE_INFO_BUFFER (info));
    return GST_PAD_PROBE_OK;
  });
  feed (pipeline.element ("source").get (), clip);
  pipeline.play ();
  pipeline.wait ();

  Measurement result;
  if (const Structure stats = stats_of (pipeline.element ("filter").get ())) {
    result.device = field_of (stats.get (), "device");
    result.path = field_of (stats.get (), "path");
    result.algorithm = field_of (stats.get (), "algorithm");
  }
  if (arrivals.count > warm_up_frames && arrivals.last > arrivals.warm)
    result.fps = double (arrivals.count - warm_up_frames) * G_USEC_PER_SEC / double (arrivals.last - arrivals.warm);
  if (arrivals.kept)
    result.shown.reset (gst_sample_new (arrivals.kept.get (), clip.caps (), nullptr, nullptr));
  return result;
}
