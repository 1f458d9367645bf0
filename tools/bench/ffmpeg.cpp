/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FFmpeg's filters, timed by FFmpeg's own `bench` filter around them, so that neither startup nor the source is counted. The
 * OpenCL filters wait for their kernels themselves. */
#include "peer.hpp"
#include "process.hpp"

#include <glib/gstdio.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace bench {

namespace {

Output
run_ffmpeg (const std::vector<std::string> &arguments)
{
  std::vector<std::string> call{"ffmpeg", "-hide_banner", "-nostdin", "-nostats"};
  call.insert (call.end (), arguments.begin (), arguments.end ());
  return run_program (call);
}

/* A file with the frames; exists as long as a contender uses it. */
class RawFile {
public:
  explicit RawFile (const Frames &frames)
  {
    GError *error = nullptr;
    gchar *name = nullptr;
    const int fd = g_file_open_tmp ("cl-bench-XXXXXX.rgba", &name, &error);
    if (fd < 0) {
      const std::string reason = error->message;
      g_clear_error (&error);
      throw std::runtime_error (reason);
    }
    g_close (fd, nullptr);
    path = name;
    g_free (name);
    std::ofstream file (path, std::ios::binary);
    for (const std::vector<uint8_t> &rgba : frames.pixels)
      file.write (reinterpret_cast<const char *> (rgba.data ()), std::streamsize (rgba.size ()));
    if (!file.flush ())
      throw std::runtime_error ("no room for the frames in " + path);
  }
  ~RawFile () { g_unlink (path.c_str ()); }
  RawFile (const RawFile &) = delete;
  RawFile &operator= (const RawFile &) = delete;

  std::string path;
};

/* Parses "[bench @ 0x...] t:0.007802 avg:..." for every frame; the first frames are slower. */
Samples
parse_times (const std::string &text)
{
  Samples samples;
  for (size_t at = text.find ("] t:"); at != std::string::npos; at = text.find ("] t:", at + 1)) {
    std::istringstream number (text.substr (at + 4, 16));
    number.imbue (std::locale::classic ());
    double seconds;
    if (number >> seconds)
      samples.us.push_back (seconds * 1e6);
  }
  const size_t n_cold = samples.us.size () > 1 ? std::max<size_t> (samples.us.size () / 4, 1) : 0;
  samples.us.erase (samples.us.begin (), samples.us.begin () + long (n_cold));
  return samples;
}

std::string
for_each_plane (const std::string &matrix, double rdiv)
{
  std::string options;
  for (int plane = 0; plane < 4; plane++) {
    const std::string p = std::to_string (plane);
    options += (plane ? ":" : "") + p + "m='" + matrix + "':" + p + "rdiv=" + std::to_string (rdiv);
  }
  return options;
}

std::string
for_each_component (const std::string &expression)
{
  std::string options;
  for (const char *component : {"r", "g", "b", "a"})
    options += std::string (*component == 'r' ? "" : ":") + component + "='" + expression + "'";
  return options;
}

/* FFmpeg's convolution takes integers, and windows up to 7x7. */
std::optional<std::string>
convolution_options (const Case &what)
{
  if (what.operation != Operation::convolve || !what.integer_taps || what.window > 7)
    return std::nullopt;
  std::string matrix;
  double sum = 0;
  for (float tap : what.taps) {
    matrix += (matrix.empty () ? "" : " ") + std::to_string (int (tap));
    sum += tap;
  }
  return for_each_plane (matrix, sum ? 1 / sum : 1);
}

std::string
last_line (std::string text)
{
  while (!text.empty () && text.back () == '\n')
    text.pop_back ();
  return text.substr (text.find_last_of ('\n') + 1);
}

/* Runs the program with these arguments, the last four of which start with the number of frames. A sample is the median over
 * the frames of one run, so a few frames suffice. */
Contender
runs_of_ffmpeg (
    const std::string &name, std::vector<std::string> call, const std::string &filter, std::shared_ptr<RawFile> keep)
{
  return {name,
      [call = std::move (call), filter, keep, n = 1] () mutable {
        call[call.size () - 4] = std::to_string (n);
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

/* The arguments for an input and the filters around a timed one. */
std::vector<std::string>
arguments_of (std::vector<std::string> all, const std::string &before, const std::string &filter)
{
  for (const std::string &argument : {std::string ("-vf"), before + ",bench=start," + filter + ",bench=stop",
           std::string ("-frames:v"), std::string ("8"), std::string ("-f"), std::string ("null"), std::string ("-")})
    all.push_back (argument);
  return all;
}

std::vector<std::string>
opencl_arguments (const Device &device)
{
  std::string index = device.index;
  index[index.find (':')] = '.';
  return {"-init_hw_device", "opencl=device:" + index, "-filter_hw_device", "device"};
}

class Ffmpeg : public Peer {
public:
  explicit Ffmpeg (std::string version_) : program_version (std::move (version_)) {}

  std::string version () const override { return program_version; }

  std::optional<Contender> contender (const Case &what, const Frames &frames) override
  {
    const std::optional<Chain> chain = chain_for (what);
    if (!chain)
      return std::nullopt;
    if (!file || file_size != frames.size || file_format != frames.format) {
      file = std::make_shared<RawFile> (frames);
      file_size = frames.size;
      file_format = frames.format;
    }
    std::vector<std::string> input = device_arguments ();
    for (const std::string &argument : {std::string ("-f"), std::string ("rawvideo"), std::string ("-pix_fmt"),
             std::string (frames.format == "GRAY8" ? "gray" : "rgba"), std::string ("-s"), frames.size.text (),
             std::string ("-i"), file->path})
      input.push_back (argument);
    return runs_of_ffmpeg (name (), arguments_of (std::move (input), chain->format, chain->filter), chain->filter, file);
  }

protected:
  /** A filter with its options, and the frames that it takes. */
  struct Chain {
    std::string format, filter;
  };

  virtual std::optional<Chain> chain_for (const Case &what) const = 0;
  virtual std::vector<std::string> device_arguments () const = 0;

private:
  std::string program_version;
  std::shared_ptr<RawFile> file;
  Size file_size{};
  std::string file_format;
};

/* Filters of single samples, of colours and of several frames. tmedian makes new frames, which `bench` does not recognise. */
std::optional<std::string>
cpu_tone_filter (const Case &what)
{
  switch (what.operation) {
    case Operation::threshold:
      return "lutrgb=" + for_each_component ("gt(val,127)*255");
    case Operation::color_matrix:
      return "colorchannelmixer=.393:.769:.189:0:.349:.686:.168:0:.272:.534:.131";
    case Operation::levels:
      return "lutrgb=" + for_each_component ("pow(clip((val/255-0.05)/0.9,0,1),1/1.5)*255");
    case Operation::noise:
      return "noise=alls=13:allf=t";
    case Operation::temporal_average:
      return "atadenoise=s=5:0a=0.1:1a=0.1:2a=0.1";
    case Operation::blend:
      return "tblend=all_mode=average";
    default:
      return std::nullopt;
  }
}

/* These filters work on planes, so frames are planar. gblur and bilateral are recursive filters with other results; their times
 * are only informative. */
class FfmpegCpu : public Ffmpeg {
public:
  using Ffmpeg::Ffmpeg;
  std::string name () const override { return "ffmpeg-cpu"; }

protected:
  std::vector<std::string> device_arguments () const override { return {}; }

  std::optional<Chain> chain_for (const Case &what) const override
  {
    if (what.operation == Operation::equalize)
      return what.gray ? std::nullopt : std::optional<Chain> ({"format=rgba", "histeq=strength=1:intensity=0.5"});
    if (what.operation == Operation::unsharp) /* supports only YUV; three components */
      return Chain{"format=yuv444p", "unsharp=lx=7:ly=7:cx=7:cy=7:la=1:ca=1"};
    /* the frame after it is needed, too; a loop provides it */
    if (what.operation == Operation::deinterlace)
      return Chain{"format=gbrap,loop=loop=-1:size=2", what.filter.substr (what.filter.find ('-') + 1) + "=mode=0:parity=0"};
    const std::optional<std::string> filter = filter_for (what);
    if (!filter || (what.gray && what.operation != Operation::nlmeans))
      return std::nullopt;
    return Chain{what.gray ? "format=gray" : "format=gbrap", *filter};
  }

private:
  static std::optional<std::string> filter_for (const Case &what)
  {
    if (const auto options = convolution_options (what))
      return "convolution=" + *options;
    const std::string radius = std::to_string (what.window / 2);
    switch (what.operation) {
      case Operation::gaussian:
        return "gblur=sigma=" + std::to_string (what.sigma_space);
      case Operation::bilateral:
        return "bilateral=sigmaS=" + std::to_string (what.sigma_space) + ":sigmaR=" + std::to_string (what.sigma_range)
               + ":planes=7";
      case Operation::median:
        return "median=radius=" + radius;
      case Operation::box:
        return "avgblur=sizeX=" + radius + ":planes=15";
      case Operation::edges:
        return what.filter + "=planes=7";
      case Operation::erode:
        return what.window == 3 ? std::optional<std::string> ("erosion") : std::nullopt;
      case Operation::dilate:
        return what.window == 3 ? std::optional<std::string> ("dilation") : std::nullopt;
      case Operation::nlmeans:
        return "nlmeans=s=1.3:p=7:r=15";
      case Operation::deblock:
        return "deblock=block=8";
      default:
        return cpu_tone_filter (what);
    }
  }
};

class FfmpegOpenCl : public Ffmpeg {
public:
  FfmpegOpenCl (std::string version, const Device &device) : Ffmpeg (std::move (version)), arguments (opencl_arguments (device))
  {
  }
  std::string name () const override { return "ffmpeg-opencl"; }

protected:
  std::vector<std::string> device_arguments () const override { return arguments; }

  std::optional<Chain> chain_for (const Case &what) const override
  {
    if (what.gray)
      return std::nullopt;
    if (what.operation == Operation::nlmeans) /* supports only planes */
      return Chain{"format=gbrp,hwupload", "nlmeans_opencl=s=1.3:p=7:r=15"};
    const std::optional<std::string> filter = filter_for (what);
    return filter ? std::optional<Chain> ({"format=rgba,hwupload", *filter}) : std::nullopt;
  }

private:
  static std::optional<std::string> filter_for (const Case &what)
  {
    if (const auto options = convolution_options (what))
      return "convolution_opencl=" + *options;
    switch (what.operation) {
      case Operation::box:
        return "avgblur_opencl=sizeX=" + std::to_string (what.window / 2);
      case Operation::edges: /* Scharr is missing */
        return what.filter == "scharr" ? std::nullopt : std::optional<std::string> (what.filter + "_opencl");
      case Operation::erode:
        return what.window == 3 ? std::optional<std::string> ("erosion_opencl") : std::nullopt;
      case Operation::dilate:
        return what.window == 3 ? std::optional<std::string> ("dilation_opencl") : std::nullopt;
      case Operation::unsharp:
        return "unsharp_opencl=lx=7:ly=7:la=1";
      default:
        return std::nullopt;
    }
  }

  const std::vector<std::string> arguments;
};

/* Parses "ffmpeg version 5.1.9-0+deb12u1 Copyright ..." */
std::optional<std::string>
ffmpeg_version ()
{
  const Output output = run_ffmpeg ({"-version"});
  std::istringstream words (output.out);
  std::string program, word, version;
  if (!output.ok || !(words >> program >> word >> version))
    return std::nullopt;
  return "FFmpeg " + version;
}

}  // namespace

std::unique_ptr<Peer>
make_ffmpeg_cpu ()
{
  const std::optional<std::string> version = ffmpeg_version ();
  return version ? std::make_unique<FfmpegCpu> (*version) : nullptr;
}

std::unique_ptr<Peer>
make_ffmpeg_opencl (const Device &device)
{
  const std::optional<std::string> version = ffmpeg_version ();
  return version ? std::make_unique<FfmpegOpenCl> (*version, device) : nullptr;
}

Contender
time_ffmpeg (const std::string &before, const std::string &filter, const Size &size, const Device *device)
{
  std::vector<std::string> input = device ? opencl_arguments (*device) : std::vector<std::string>{};
  input.insert (input.end (), {"-f", "lavfi", "-i", "testsrc2=s=" + size.text ()});
  return runs_of_ffmpeg ("FFmpeg's", arguments_of (std::move (input), before, filter), filter, nullptr);
}

}  // namespace bench
