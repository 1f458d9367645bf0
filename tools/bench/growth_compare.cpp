/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares complete pipelines: elements with GStreamer's elements for the same task, on as many threads as these can use, or with
 * FFmpeg's filters, on whole frames in system memory; and an interlaced H.264 file that is decoded, deinterlaced, denoised,
 * converted, scaled, graded and composed by our elements, by GStreamer's elements on the CPU and on OpenGL, and by the ffmpeg
 * program. There, a contender omits steps for which it has no element, and skips rows that need them. */
#include "growth.hpp"
#include "peer.hpp"

#include <gst/app/gstappsink.h>

#include <fstream>
#include <memory>
#include <thread>

namespace bench {

namespace {

class Flow {
public:
  /** Starts the pipeline. Throws std::runtime_error if it does not start. */
  explicit Flow (const std::string &line, const std::string &more = "");

  /** Microseconds per frame, over n frames after the first `held`; over fewer if they take longer than most_us. */
  double run (int held, int n, double most_us = 1e9);

  struct Bytes {
    guint64 up = 0, down = 0;
  };
  /** How many bytes per frame the elements of this project have sent to the device and read from it. */
  Bytes link_bytes () const;

private:
  void take ();

  const Running pipeline;
  const Ref<GstElement> sink;
  guint64 n_taken = 0;
};

/** Writes a table of 33 x 33 x 33 entries into the folder, and returns its path. */
std::string write_look (const TemporaryFolder &folder);

Flow::Flow (const std::string &line, const std::string &more)
    : pipeline (parse_launch (line + " ! appsink name=sink sync=false max-buffers=4 " + more)),
      sink (element_in (pipeline, "sink"))
{
  gst_element_set_state (pipeline.get (), GST_STATE_PLAYING);
}

/* The pipeline is idle between calls, except for buffers that the sink holds. */
double
Flow::run (int held, int n, double most_us)
{
  gst_element_set_state (pipeline.get (), GST_STATE_PLAYING);
  for (int i = 0; i < held; i++)
    take ();
  const double begin = now_us ();
  int n_timed = 0;
  while (n_timed < n && now_us () - begin < most_us) {
    take ();
    n_timed++;
  }
  return (now_us () - begin) / n_timed;
}

void
Flow::take ()
{
  constexpr int most_seconds = 60;
  Sample sample;
  for (int i = 0; i < most_seconds && !sample; i++) {
    sample.reset (gst_app_sink_try_pull_sample (GST_APP_SINK (sink.get ()), GST_SECOND));
    if (sample)
      break;
    const std::string error = error_on (bus_of (pipeline.get ()).get ());
    ensure (
        error.empty () && !gst_app_sink_is_eos (GST_APP_SINK (sink.get ())), error.empty () ? "the pipeline has ended" : error);
  }
  ensure (bool (sample), "no frame came within a minute");
  map_frame (gst_sample_get_buffer (sample.get ()));
  n_taken++;
}

Flow::Bytes
Flow::link_bytes () const
{
  Bytes sum;
  for_each_element (gst_bin_iterate_recurse (GST_BIN (pipeline.get ())), [&sum] (GstElement *element) {
    const GParamSpec *property = spec_of (element, "stats");
    /* a bin's numbers are those of its elements */
    if (GST_IS_BIN (element) || !property || property->value_type != GST_TYPE_STRUCTURE)
      return;
    guint64 up = 0, down = 0;
    gst_structure_get (
        stats_of (element).get (), "bytes-uploaded", G_TYPE_UINT64, &up, "bytes-downloaded", G_TYPE_UINT64, &down, nullptr);
    sum.up += up;
    sum.down += down;
  });
  return n_taken ? Bytes{sum.up / n_taken, sum.down / n_taken} : Bytes{};
}

/* Writes a table of 33 x 33 x 33 entries into the folder, and returns its path. */
std::string
write_look (const TemporaryFolder &folder)
{
  constexpr int size = 33;
  const std::string path = folder.path + "/look.cube";
  std::ofstream file (path);
  file << "LUT_3D_SIZE " << size << "\n";
  for (int b = 0; b < size; b++)
    for (int g = 0; g < size; g++)
      for (int r = 0; r < size; r++)
        file << float (r) / size << " " << float (g + b) / (2 * size) << " " << 1 - float (b) / size << "\n";
  if (!file.flush ())
    throw std::runtime_error ("no room for a table in " + path);
  return path;
}

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
  Plot &plot = growth.plots.emplace_back (
      Plot{"convert", growth.device.name, "elements in system memory", "element", "microseconds a frame", false, true});
  const TemporaryFolder folder;
  const std::string look = write_look (folder);
  for (const Comparison &what : comparisons) {
    if (std::string (what.title).find (growth.options.filter) == std::string::npos)
      continue;
    const std::string own = filled_in (what.own, {{"@look", look}}) + " device=" + growth.device.index;
    const Contender peer = peer_of (what, growth.device, look);
    const Outcome outcome = growth.measure (what.title, {contender_of ("ours", own, what), peer}, growth.effort ());
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
}

namespace {

/* A sample: how many frames are skipped, how many are counted, and the time limit. */
struct Length {
  int before, timed;
  double most_us;
};
constexpr Length usual{10, 60, 3e6}, quick{4, 20, 1.5e6};
constexpr int n_frames = 100;

#define SMALL "format=RGBA,width=1280,height=720"
#define ON_DEVICE "video/x-raw(memory:OpenCLMemory)," SMALL
#define ON_GL "video/x-raw(memory:GLMemory)," SMALL
#define GL_MIX "glvideomixer name=mix"
#define FF_SMALL "scale=1280:720:flags=bilinear,format=gbrp"
#define FF_MIX "format=rgba[v];[v][1:v]overlay=format=rgb,format=rgba"
/* The elements after the decoder. @look stands for the path of a .cube file, @threads for the number of CPUs. An element called
 * mix gets a second picture. */
constexpr struct {
  const char *title, *own, *processor, *gl, *ffmpeg;
} rows[] = {
    {"decode", nullptr, "identity", nullptr, "null"},
    {"and deinterlace (yadif)", "cldeinterlace fields=top method=yadif", "deinterlace fields=top method=yadif",
        "glupload ! glcolorconvert ! gldeinterlace ! gldownload", "yadif"},
    {"and convert, scale to 1280x720 RGBA", "cldeinterlace fields=top method=yadif ! clconvert ! video/x-raw," SMALL,
        "deinterlace fields=top method=yadif ! videoconvertscale n-threads=@threads ! video/x-raw," SMALL,
        "glupload ! glcolorconvert ! gldeinterlace ! glcolorscale ! " ON_GL " ! gldownload", "yadif," FF_SMALL ",format=rgba"},
    {"and compose with a logo", "cldeinterlace fields=top method=yadif ! clconvert ! " ON_DEVICE " ! clcompositor name=mix",
        "deinterlace fields=top method=yadif ! videoconvertscale n-threads=@threads ! video/x-raw," SMALL
        " ! compositor name=mix",
        "glupload ! glcolorconvert ! gldeinterlace ! glcolorscale ! " ON_GL " ! " GL_MIX " ! gldownload",
        "[0:v]yadif," FF_SMALL "," FF_MIX},
    {"and remove noise, apply a LUT before the logo",
        "cldeinterlace fields=top method=yadif ! cltemporal ! clconvert ! " ON_DEVICE
        " ! cllut3d location=@look ! clcompositor name=mix",
        nullptr, nullptr, "[0:v]yadif,atadenoise=s=5:0a=0.1:1a=0.1:2a=0.1," FF_SMALL ",lut3d=file=@look," FF_MIX},
};

void
require_ffmpeg (std::vector<std::string> arguments)
{
  arguments.insert (arguments.begin (), {"-loglevel", "error"});
  const Output output = run_ffmpeg (std::move (arguments));
  if (!output.ok)
    throw std::runtime_error ("ffmpeg failed: " + output.err.substr (0, 200));
}

/* An interlaced clip of 1920x1080, made from the film of --video, or from FFmpeg's test picture with noise; twice as many
 * frames are read as it has fields. */
std::string
make_clip (const TemporaryFolder &folder, const std::string &uri)
{
  const std::string path = folder.path + "/clip.mp4";
  std::vector<std::string> call = uri.empty ()
                                      ? std::vector<std::string>{"-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=50"}
                                      : std::vector<std::string>{"-stream_loop", "-1", "-i", uri};
  call.insert (call.end (), {"-vf", "scale=1920:1080,fps=50,setfield=prog,noise=alls=8:allf=t,tinterlace=interleave_top", "-an",
                                "-c:v", "libx264", "-preset", "veryfast", "-flags", "+ilme+ildct", "-x264opts", "tff=1",
                                "-pix_fmt", "yuv420p", "-b:v", "12M", "-frames:v", std::to_string (n_frames), path});
  require_ffmpeg (std::move (call));
  return path;
}

/* Every sample is a new pipeline, because the clip ends. */
Contender
pipeline_of (const char *name, const std::string &clip, const std::string &rest, const Length &length,
    const std::shared_ptr<Flow::Bytes> &bytes)
{
  const std::string line = "filesrc location=" + clip + " ! qtdemux ! h264parse ! avdec_h264 ! queue ! " + rest + " ! queue";
  const std::string logo =
      "videotestsrc num-buffers=1 pattern=ball ! video/x-raw,format=RGBA,width=320,height=180 ! imagefreeze ! "
      "video/x-raw,framerate=25/1 ! queue ! ";
  const bool composes = rest.find ("name=mix") != std::string::npos, on_gl = rest.starts_with ("glupload");
  const std::string more = composes ? logo + (on_gl ? "glupload ! mix." : "mix.") : "";
  return {name, [=] {
            Flow flow (line, more);
            const double us = flow.run (length.before, length.timed, length.most_us);
            if (bytes)
              *bytes = flow.link_bytes ();
            return us;
          }};
}

/* Excludes the program's startup: measures the time of additional frames. */
Contender
ffmpeg_of (const std::string &clip, const std::string &filters, const Length &length)
{
  const auto time_of = [=] (int n) {
    const double begin = now_us ();
    require_ffmpeg ({"-i", clip, "-f", "lavfi", "-i", "color=red@0.5:size=320x180:rate=25,format=rgba", "-filter_complex",
        filters, "-frames:v", std::to_string (n), "-f", "null", "-"});
    return now_us () - begin;
  };
  return {"ffmpeg", [=] { return (time_of (length.before + length.timed) - time_of (length.before)) / length.timed; }};
}

}  // namespace

void
compare_whole_pipelines (Growth &growth)
{
  Plot &plot = growth.plots.emplace_back (Plot{
      "whole", growth.device.name, "H.264 of 1920x1080, interlaced, from a file", "pipeline", "frames a second", false, false});
  const Length &length = growth.options.quick ? quick : usual;
  const TemporaryFolder folder;
  const std::string look = write_look (folder), clip = make_clip (folder, growth.options.uri);
  const auto filled = [&look] (const char *line) {
    return filled_in (
        line, {{"@look", look}, {"@threads", std::to_string (std::max (1u, std::thread::hardware_concurrency ()))}});
  };
  for (const auto &[title, own, processor, gl, ffmpeg] : rows) {
    if (std::string (title).find (growth.options.filter) == std::string::npos)
      continue;
    const auto bytes = std::make_shared<Flow::Bytes> ();
    std::vector<Contender> contenders;
    for (const auto &[name, line] : {std::pair{"ours", own}, {"GStreamer, processor", processor}, {"GStreamer, OpenGL", gl}})
      if (line)
        contenders.push_back (pipeline_of (name, clip, filled (line), length, line == own ? bytes : nullptr));
    contenders.push_back (ffmpeg_of (clip, filled (ffmpeg), length));
    const Outcome outcome = growth.measure (title, contenders, growth.options.quick ? Effort{3, 5, 2} : Effort{7, 15, 3});
    plot.labels.push_back (title);
    for (const auto &[name, samples] : outcome.times)
      plot.at_label (name) = rates (samples);
    plot.note (title, outcome);
    if (own)
      plot.notes.push_back (std::string (title) + ": ours sends " + std::to_string (bytes->up)
                            + " bytes a frame to the device and fetches " + std::to_string (bytes->down));
  }
}

}  // namespace bench
