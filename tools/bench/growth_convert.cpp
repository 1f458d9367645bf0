/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares elements with GStreamer's elements for the same task, on as many threads as these can use, or with FFmpeg's filters:
 * whole frames in system memory. */
#include "flow.hpp"
#include "growth.hpp"
#include "peer.hpp"
#include "text.hpp"

#include <memory>
#include <thread>

namespace bench {

namespace {

struct Comparison {
  /* own, peer: @look stands for the path of a .cube file */
  const char *title, *from, *to, *own;
  /* an element; an element that composes is called mix, and gets a second picture; or "ffmpeg" or "ffmpeg-opencl", filters that
   * prepare the frames, and the filter */
  const char *peer;
  double wanted = 0; /* the wanted ratio to the peer's speed; 0: no target */
};
#define HD "width=1920,height=1080"
#define TURNED "width=1080,height=1920"
#define INSET " sink_1::xpos=480 sink_1::ypos=270 sink_1::width=960 sink_1::height=540 sink_1::alpha=0.5"
#define PQ "setparams=range=tv:color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc"
constexpr Comparison comparisons[] = {
    {"clconvert, 1080p NV12 to 720p RGBA, bilinear", "NV12," HD, "RGBA,width=1280,height=720", "clconvert method=bilinear",
        "videoconvertscale method=bilinear", 3},
    {"clconvert, 1080p NV12 to RGBA", "NV12," HD, "RGBA," HD, "clconvert", "videoconvertscale"},
    {"clconvert, 1080p RGBA to I420", "RGBA," HD, "I420," HD, "clconvert", "videoconvertscale"},
    {"clconvert, 2160p P010 to 1080p NV12, lanczos", "P010_10LE,width=3840,height=2160", "NV12," HD, "clconvert method=lanczos",
        "videoconvertscale method=lanczos"},
    {"clflip, 1080p RGBA turned clockwise", "RGBA," HD, "RGBA," TURNED, "clflip video-direction=90r",
        "videoflip video-direction=90r"},
    {"clflip, 1080p I420 turned clockwise", "I420," HD, "I420," TURNED, "clflip video-direction=90r",
        "videoflip video-direction=90r"},
    {"clflip, 1080p I420 mirrored", "I420," HD, "I420," HD, "clflip video-direction=horiz", "videoflip video-direction=horiz"},
    {"cladjust, 1080p I420, contrast and saturation", "I420," HD, "I420," HD, "cladjust contrast=1.2 saturation=1.3",
        "videobalance contrast=1.2 saturation=1.3"},
    {"cldeinterlace, 1080p I420, yadif", "I420," HD, "I420," HD, "cldeinterlace mode=always fields=top method=yadif",
        "deinterlace mode=interlaced fields=top method=yadif"},
    {"cldeinterlace, 1080p I420, bwdif", "I420," HD, "I420," HD, "cldeinterlace mode=always fields=top",
        "ffmpeg format=yuv420p bwdif=mode=send_frame"},
    {"cllut3d, 1080p RGBA, 33 x 33 x 33, tetrahedral", "RGBA," HD, "RGBA," HD, "cllut3d location=@look",
        "ffmpeg format=gbrp lut3d=file=@look"},
    {"clcompositor, two 1080p I420, one half as large and half seen through", "I420," HD, "I420," HD,
        "clcompositor name=mix" INSET, "compositor name=mix" INSET},
    {"clcompositor, two 1080p RGBA, one half as large and half seen through", "RGBA," HD, "RGBA," HD,
        "clcompositor name=mix" INSET, "compositor name=mix" INSET},
    {"cltonemap, 1080p I420_10LE, PQ to SDR", "I420_10LE," HD, "I420_10LE," HD,
        "capssetter caps=video/x-raw,colorimetry=bt2100-pq ! cltonemap algorithm=mobius",
        "ffmpeg format=yuv420p10," PQ " zscale=t=linear:npl=203,format=gbrpf32le,tonemap=mobius,zscale=p=bt709:t=bt709:m=bt709:"
        "npl=203:r=tv,format=yuv420p10"},
    {"cltonemap, 1080p P010, PQ to SDR", "P010_10LE," HD, "P010_10LE," HD,
        "capssetter caps=video/x-raw,colorimetry=bt2100-pq ! cltonemap algorithm=mobius",
        "ffmpeg-opencl format=p010," PQ ",hwupload tonemap_opencl=tonemap=mobius:t=bt709:m=bt709:p=bt709:format=p010"},
};

/* A source that costs nothing, an element, and a second source if the element composes. */
Contender
contender_of (const char *name, const std::string &element, const Comparison &what)
{
  const std::string from = std::string ("video/x-raw,format=") + what.from, to = std::string ("video/x-raw,format=") + what.to;
  const std::string source = " ! " + from + " ! imagefreeze ! " + from + " ! ";
  const std::string first = "videotestsrc num-buffers=1" + source + element + " ! " + to;
  const std::string second = "videotestsrc num-buffers=1 pattern=ball" + source + "mix.";
  const bool composes = element.find ("name=mix") != std::string::npos;
  return {name, [flow = std::make_shared<Flow> (first, composes ? second : "")] { return flow->run (4, 60); }};
}

/* videoconvertscale uses one thread by default. */
Contender
peer_of (const Comparison &what, const Device &device, const std::string &look)
{
  const std::string peer = filled_in (what.peer, {{"@look", look}});
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
  const TemporaryFolder folder;
  const std::string look = write_look (folder);
  for (const Comparison &what : comparisons) {
    if (std::string (what.title).find (growth.options.filter) == std::string::npos)
      continue;
    growth.progress.step (growth.device.name + " " + what.title);
    const std::string own = filled_in (what.own, {{"@look", look}}) + " device=" + growth.device.index;
    const Contender peer = peer_of (what, growth.device, look);
    const Outcome outcome = measure ({contender_of ("ours", own, what), peer}, growth.effort (), growth.progress.detail ());
    plot.labels.push_back (what.title);
    for (const auto &[name, samples] : outcome.times)
      plot.at_label (name) = samples;
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
