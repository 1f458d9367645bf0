/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clconvert beside videoconvertscale on as many threads as there are processors: whole frames in system memory. */
#include "growth.hpp"

#include <gst/app/gstappsink.h>

#include <memory>
#include <stdexcept>
#include <thread>

namespace bench {

namespace {

struct Conversion {
  const char *title, *from, *to, *method, *peer_method;
};
constexpr Conversion conversions[] = {
    {"1080p NV12 to 720p RGBA, bilinear", "NV12,width=1920,height=1080", "RGBA,width=1280,height=720", "bilinear", "bilinear"},
    {"1080p NV12 to RGBA", "NV12,width=1920,height=1080", "RGBA,width=1920,height=1080", "bilinear", "bilinear"},
    {"1080p RGBA to I420", "RGBA,width=1920,height=1080", "I420,width=1920,height=1080", "bilinear", "bilinear"},
    {"2160p P010 to 1080p NV12, lanczos", "P010_10LE,width=3840,height=2160", "NV12,width=1920,height=1080", "lanczos",
        "lanczos"},
};

/** A source that costs nothing, an element, and a sink that looks at every frame. */
class Flow {
public:
  Flow (const std::string &element, const Conversion &what)
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

}  // namespace

void
compare_conversions (Growth &growth)
{
  constexpr double wanted = 3;
  const std::string threads = " n-threads=" + std::to_string (std::max (1u, std::thread::hardware_concurrency ()));
  Plot plot{"convert", growth.device.name, "conversions", "conversion", "microseconds a frame", false, true, {}};
  for (const Conversion &what : conversions) {
    growth.progress.step (growth.device.name + " " + what.title);
    const std::string own = "clconvert device=" + growth.device.index + " method=" + what.method;
    const std::string peer = "videoconvertscale" + threads + " method=" + what.peer_method;
    const auto contender = [&what] (const char *name, const std::string &element) {
      return Contender{name, [flow = std::make_shared<Flow> (element, what)] { return flow->run (); }};
    };
    const Outcome outcome = measure (
        {contender ("clconvert", own), contender ("videoconvertscale", peer)}, growth.effort (), growth.progress.detail ());
    plot.labels.push_back (what.title);
    for (const auto &[name, samples] : outcome.times)
      plot.at (name, double (plot.labels.size ())) = samples;
    for (const auto &[name, reason] : outcome.failures)
      plot.notes.push_back (name + ": " + reason);
    if (outcome.failures.empty () && what.to == std::string (conversions[0].to))
      growth.verdicts.push_back ({std::string (what.title) + ", 3 times videoconvertscale", 1,
          per_turn (outcome.times.at ("videoconvertscale"), outcome.times.at ("clconvert"),
              [] (double theirs, double ours) { return theirs / ours / wanted; })});
  }
  growth.plots.push_back (std::move (plot));
}

}  // namespace bench
