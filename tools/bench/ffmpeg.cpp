/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FFmpeg's filters, timed by FFmpeg's own `bench` filter around them, so that neither startup nor the source is counted. The
 * OpenCL filters wait for their kernels themselves. */
#include "peer.hpp"
#include "result.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace bench {

namespace {

using Words = std::vector<std::string>;

/* Parses "[bench @ 0x...] t:0.007802 avg:..." for every frame; the first frames are slower. */
Samples
parse_times (const std::string &text)
{
  Samples samples;
  for (size_t at = text.find ("] t:"); at != std::string::npos; at = text.find ("] t:", at + 1))
    samples.us.push_back (g_ascii_strtod (text.c_str () + at + 4, nullptr) * 1e6);
  const size_t n_cold = samples.us.size () > 1 ? std::max<size_t> (samples.us.size () / 4, 1) : 0;
  samples.us.erase (samples.us.begin (), samples.us.begin () + long (n_cold));
  return samples;
}

/* The filters' text on the CPU and on a device, and the frames that they take. */
struct Known {
  Operation operation;
  const char *cpu, *opencl = nullptr;
  const char *cpu_frames = "format=gbrap", *opencl_frames = "format=rgba,hwupload";
};

#define EACH(expression) "r='" expression "':g='" expression "':b='" expression "':a='" expression "'"
#define PLANES "0m='@taps':0rdiv=@scale:1m='@taps':1rdiv=@scale:2m='@taps':2rdiv=@scale:3m='@taps':3rdiv=@scale"
/* Filters on the CPU work on planes, so frames are planar. gblur and bilateral are recursive filters with other results; their
 * times are only informative. unsharp supports only YUV, here of three components. A loop provides the frame after it, which
 * deinterlacers need, too. tmedian makes new frames, which `bench` does not recognise. */
constexpr Known filters[] = {
    {Operation::convolve, "convolution=" PLANES, "convolution_opencl=" PLANES},
    {Operation::gaussian, "gblur=sigma=@space"},
    {Operation::bilateral, "bilateral=sigmaS=@space:sigmaR=@range:planes=7"},
    {Operation::median, "median=radius=@radius"},
    {Operation::box, "avgblur=sizeX=@radius:planes=15", "avgblur_opencl=sizeX=@radius"},
    {Operation::edges, "@name=planes=7", "@name_opencl"},
    {Operation::erode, "erosion", "erosion_opencl"},
    {Operation::dilate, "dilation", "dilation_opencl"},
    {Operation::nlmeans, "nlmeans=s=1.3:p=7:r=15", "nlmeans_opencl=s=1.3:p=7:r=15", "format=gbrap", "format=gbrp,hwupload"},
    {Operation::deblock, "deblock=block=8"},
    {Operation::threshold, "lutrgb=" EACH ("gt(val,127)*255")},
    {Operation::color_matrix, "colorchannelmixer=.393:.769:.189:0:.349:.686:.168:0:.272:.534:.131"},
    {Operation::levels, "lutrgb=" EACH ("pow(clip((val/255-0.05)/0.9,0,1),1/1.5)*255")},
    {Operation::noise, "noise=alls=13:allf=t"},
    {Operation::temporal_average, "atadenoise=s=5:0a=0.1:1a=0.1:2a=0.1"},
    {Operation::blend, "tblend=all_mode=average"},
    {Operation::equalize, "histeq=strength=1:intensity=0.5", nullptr, "format=rgba"},
    {Operation::unsharp, "unsharp=lx=7:ly=7:cx=7:cy=7:la=1:ca=1", "unsharp_opencl=lx=7:ly=7:la=1", "format=yuv444p"},
    {Operation::deinterlace, "@name=mode=0:parity=0", nullptr, "format=gbrap,loop=loop=-1:size=2"},
};

bool
takes (const Case &what, bool opencl)
{
  if (what.gray)
    return what.operation == Operation::nlmeans && !opencl;
  switch (what.operation) {
    case Operation::convolve:
      return what.integer_taps && what.window <= 7;
    case Operation::edges:
      return !opencl || what.filter != "scharr";
    case Operation::erode:
    case Operation::dilate:
      return what.window == 3;
    default:
      return true;
  }
}

std::string
options_of (const char *filter, const Case &what)
{
  std::string taps;
  for (float tap : what.taps)
    taps += (taps.empty () ? "" : " ") + std::to_string (int (tap));
  const double sum = std::accumulate (what.taps.begin (), what.taps.end (), 0.0);
  return filled_in (
      filter, {{"@taps", taps}, {"@scale", std::to_string (sum ? 1 / sum : 1)}, {"@radius", std::to_string (what.window / 2)},
                  {"@space", std::to_string (what.sigma_space)}, {"@range", std::to_string (what.sigma_range)},
                  {"@name", what.filter.substr (what.filter.find ('-') + 1)}});
}

/* Runs the program with a filter between others. A sample is the median over the frames of one run, so a few frames
 * suffice. */
Contender
runs_of_ffmpeg (const std::string &name, Words input, const std::string &before, const std::string &filter,
    std::shared_ptr<const FrameFile::File> keep)
{
  input.insert (input.end (), {"-vf", before + ",bench=start," + filter + ",bench=stop"});
  return {name,
      [input, filter, keep, n = 1] () mutable {
        Words call = input;
        call.insert (call.end (), {"-frames:v", std::to_string (n), "-f", "null", "-"});
        const Output output = run_ffmpeg (call);
        const Samples times = parse_times (output.err);
        if (!output.ok || times.us.empty ())
          throw std::runtime_error ("ffmpeg failed with " + filter + ": " + last_line (output.err));
        /* the first run has one frame; the others as many as fit into a short time */
        n = std::clamp (int (2e6 / times.median ()), 2, n_rotated);
        return times.median ();
      },
      5};
}

Words
arguments_of (const Device *device)
{
  if (!device)
    return {};
  std::string index = device->index;
  index[index.find (':')] = '.';
  return {"-init_hw_device", "opencl=device:" + index, "-filter_hw_device", "device"};
}

class Ffmpeg : public Peer {
public:
  Ffmpeg (const std::string &version, const Device *device)
      : Peer (device ? "ffmpeg-opencl" : "ffmpeg-cpu", version), opencl (device), device_arguments (arguments_of (device))
  {
  }

  std::optional<Contender> contender (const Case &what, const Frames &frames) override
  {
    const Known *known = std::ranges::find (filters, what.operation, &Known::operation);
    const char *filter = known == std::end (filters) ? nullptr : opencl ? known->opencl : known->cpu;
    if (!filter || !takes (what, opencl))
      return std::nullopt;
    const auto given = file.of (frames);
    Words input = device_arguments;
    input.insert (input.end (),
        {"-f", "rawvideo", "-pix_fmt", what.gray ? "gray" : "rgba", "-s", frames.size.text (), "-i", given->path});
    const char *before = what.gray ? "format=gray" : opencl ? known->opencl_frames : known->cpu_frames;
    return runs_of_ffmpeg (name, std::move (input), before, options_of (filter, what), given);
  }

private:
  const bool opencl;
  const Words device_arguments;
  FrameFile file;
};

}  // namespace

Output
run_ffmpeg (std::vector<std::string> arguments)
{
  const Words first{"ffmpeg", "-hide_banner", "-nostdin", "-nostats"};
  arguments.insert (arguments.begin (), first.begin (), first.end ());
  return run_program (arguments);
}

/* Parses "ffmpeg version 5.1.9-0+deb12u1 Copyright ..." */
std::unique_ptr<Peer>
make_ffmpeg (const Device *device)
{
  const Output output = run_ffmpeg ({"-version"});
  std::istringstream words (output.out);
  std::string program, word, version;
  if (!output.ok || !(words >> program >> word >> version))
    return nullptr;
  return std::make_unique<Ffmpeg> ("FFmpeg " + version, device);
}

Contender
time_ffmpeg (const std::string &before, const std::string &filter, const Size &size, const Device *device)
{
  Words input = arguments_of (device);
  input.insert (input.end (), {"-f", "lavfi", "-i", "testsrc2=s=" + size.text ()});
  return runs_of_ffmpeg ("FFmpeg's", std::move (input), before, filter, nullptr);
}

}  // namespace bench
