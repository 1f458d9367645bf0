/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements beside those of GStreamer that do the same, on as many threads as these can use, or beside FFmpeg's filters: whole
 * frames in system memory. */
#include "growth.hpp"
#include "peer.hpp"

#include <gst/app/gstappsink.h>

#include <memory>
#include <stdexcept>
#include <thread>

namespace bench {

namespace {

struct Comparison {
  const char *title, *from, *to, *own;
  /* an element; or "ffmpeg" or "ffmpeg-opencl", what prepares the frames, and the filter */
  const char *peer;
  double wanted = 0; /* times the peer's speed; 0: no target */
};
#define HD "width=1920,height=1080"
#define PQ "setparams=range=tv:color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc"
constexpr Comparison comparisons[] = {
    {"clconvert, 1080p NV12 to 720p RGBA, bilinear", "NV12,width=1920,height=1080", "RGBA,width=1280,height=720",
        "clconvert method=bilinear", "videoconvertscale method=bilinear", 3},
    {"clconvert, 1080p NV12 to RGBA", "NV12,width=1920,height=1080", "RGBA,width=1920,height=1080", "clconvert",
        "videoconvertscale"},
    {"clconvert, 1080p RGBA to I420", "RGBA,width=1920,height=1080", "I420,width=1920,height=1080", "clconvert",
        "videoconvertscale"},
    {"clconvert, 2160p P010 to 1080p NV12, lanczos", "P010_10LE,width=3840,height=2160", "NV12,width=1920,height=1080",
        "clconvert method=lanczos", "videoconvertscale method=lanczos"},
    {"clflip, 1080p RGBA turned clockwise", "RGBA,width=1920,height=1080", "RGBA,width=1080,height=1920",
        "clflip video-direction=90r", "videoflip video-direction=90r"},
    {"clflip, 1080p I420 turned clockwise", "I420,width=1920,height=1080", "I420,width=1080,height=1920",
        "clflip video-direction=90r", "videoflip video-direction=90r"},
    {"clflip, 1080p I420 mirrored", "I420,width=1920,height=1080", "I420,width=1920,height=1080",
        "clflip video-direction=horiz", "videoflip video-direction=horiz"},
    {"cladjust, 1080p I420, contrast and saturation", "I420,width=1920,height=1080", "I420,width=1920,height=1080",
        "cladjust contrast=1.2 saturation=1.3", "videobalance contrast=1.2 saturation=1.3"},
    {"cldeinterlace, 1080p I420, yadif", "I420," HD, "I420," HD, "cldeinterlace mode=always fields=top method=yadif",
        "deinterlace mode=interlaced fields=top method=yadif"},
    {"cldeinterlace, 1080p I420, bwdif", "I420," HD, "I420," HD, "cldeinterlace mode=always fields=top",
        "ffmpeg format=yuv420p bwdif=mode=send_frame"},
    {"cltonemap, 1080p I420_10LE, PQ to SDR", "I420_10LE," HD, "I420_10LE," HD,
        "capssetter caps=video/x-raw,colorimetry=bt2100-pq ! cltonemap algorithm=mobius",
        "ffmpeg format=yuv420p10," PQ " zscale=t=linear:npl=203,format=gbrpf32le,tonemap=mobius,zscale=p=bt709:t=bt709:m=bt709:"
        "npl=203:r=tv,format=yuv420p10"},
    {"cltonemap, 1080p P010, PQ to SDR", "P010_10LE," HD, "P010_10LE," HD,
        "capssetter caps=video/x-raw,colorimetry=bt2100-pq ! cltonemap algorithm=mobius",
        "ffmpeg-opencl format=p010," PQ ",hwupload tonemap_opencl=tonemap=mobius:t=bt709:m=bt709:p=bt709:format=p010"},
};

/** A source that costs nothing, an element, and a sink that looks at every frame. */
class Flow {
public:
  Flow (const std::string &element, const Comparison &what)
  {
    const std::string from = std::string ("video/x-raw,format=") + what.from,
                      to = std::string ("video/x-raw,format=") + what.to;
    const std::string launch = "videotestsrc num-buffers=1 ! " + from + " ! imagefreeze ! " + from + " ! " + element + " ! "
                               + to + " ! appsink name=sink sync=false max-buffers=4";
    GError *error = nullptr;
    pipeline = gst_parse_launch (launch.c_str (), &error);
    if (error) {
      const std::string why = error->message;
      g_error_free (error);
      gst_clear_object (&pipeline);
      throw std::runtime_error (why);
    }
    sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
  }
  ~Flow ()
  {
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (sink);
    gst_object_unref (pipeline);
  }
  Flow (const Flow &) = delete;
  Flow &operator= (const Flow &) = delete;

  /** Microseconds a frame. The pipeline stands still between calls, but for what the sink holds. */
  double run ()
  {
    constexpr int held = 4, n = 60;
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    for (int i = 0; i < held; i++)
      take ();
    const double begin = now_us ();
    for (int i = 0; i < n; i++)
      take ();
    return (now_us () - begin) / n;
  }

private:
  void take ()
  {
    GstSample *sample = gst_app_sink_pull_sample (GST_APP_SINK (sink));
    if (!sample)
      throw std::runtime_error ("the pipeline has ended");
    GstMapInfo map;
    if (gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ))
      gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
    gst_sample_unref (sample);
  }

  GstElement *pipeline = nullptr, *sink = nullptr;
};

Contender
contender_of (const char *name, const std::string &element, const Comparison &what)
{
  return {name, [flow = std::make_shared<Flow> (element, what)] { return flow->run (); }};
}

/* Videoconvertscale has one thread unless it is told otherwise. */
Contender
peer_of (const Comparison &what, const Device &device)
{
  const std::string peer = what.peer;
  if (peer.starts_with ("ffmpeg")) {
    const size_t before = peer.find (' ') + 1, filter = peer.find (' ', before) + 1;
    return time_ffmpeg (peer.substr (before, filter - 1 - before), peer.substr (filter), {1920, 1080},
        peer.starts_with ("ffmpeg-opencl") ? &device : nullptr);
  }
  const std::string n_threads = std::to_string (std::max (1u, std::thread::hardware_concurrency ()));
  return contender_of ("GStreamer's", peer.starts_with ("videoconvertscale") ? peer + " n-threads=" + n_threads : peer, what);
}

}  // namespace

void
compare_conversions (Growth &growth)
{
  Plot plot{"convert", growth.device.name, "elements in system memory", "element", "microseconds a frame", false, true, {}};
  for (const Comparison &what : comparisons) {
    growth.progress.step (growth.device.name + " " + what.title);
    const std::string own = std::string (what.own) + " device=" + growth.device.index;
    const Contender peer = peer_of (what, growth.device);
    const Outcome outcome = measure ({contender_of ("ours", own, what), peer}, growth.effort (), growth.progress.detail ());
    plot.labels.push_back (what.title);
    for (const auto &[name, samples] : outcome.times)
      plot.at (name, double (plot.labels.size ())) = samples;
    for (const auto &[name, reason] : outcome.failures)
      plot.notes.push_back (name + ": " + reason);
    if (outcome.failures.empty () && what.wanted > 0)
      growth.verdicts.push_back ({std::string (what.title) + ", times videoconvertscale's speed, of what is wanted", 1,
          per_turn (outcome.times.at (peer.name), outcome.times.at ("ours"),
              [&what] (double theirs, double ours) { return theirs / ours / what.wanted; })});
  }
  growth.plots.push_back (std::move (plot));
}

}  // namespace bench
