/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Complete pipelines: an interlaced H.264 file is decoded, deinterlaced, denoised, converted, scaled, graded and composed by
 * our elements, by GStreamer's elements on the CPU and on OpenGL, and by the ffmpeg program. A contender omits steps for which
 * it has no element, and skips rows that need them. */
#include "flow.hpp"
#include "growth.hpp"
#include "peer.hpp"
#include "text.hpp"

#include <memory>
#include <stdexcept>
#include <thread>

namespace bench {

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
  Plot plot{"whole", growth.device.name, "H.264 of 1920x1080, interlaced, from a file", "pipeline", "frames a second", false,
      false, {}};
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
    growth.progress.step (growth.device.name + " " + title);
    const auto bytes = std::make_shared<Flow::Bytes> ();
    std::vector<Contender> contenders;
    for (const auto &[name, line] : {std::pair{"ours", own}, {"GStreamer, processor", processor}, {"GStreamer, OpenGL", gl}})
      if (line)
        contenders.push_back (pipeline_of (name, clip, filled (line), length, line == own ? bytes : nullptr));
    contenders.push_back (ffmpeg_of (clip, filled (ffmpeg), length));
    const Outcome outcome =
        measure (contenders, growth.options.quick ? Effort{3, 5, 2} : Effort{7, 15, 3}, growth.progress.detail ());
    plot.labels.push_back (title);
    for (const auto &[name, samples] : outcome.times)
      plot.at_label (name) = rates (samples);
    plot.note (title, outcome);
    if (own)
      plot.notes.push_back (std::string (title) + ": ours sends " + std::to_string (bytes->up)
                            + " bytes a frame to the device and fetches " + std::to_string (bytes->down));
  }
  growth.plots.push_back (std::move (plot));
}

}  // namespace bench
