/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FFmpeg's filters, timed by its own `bench` filter around them, so that neither the program's start nor the source is
 * counted. The filters that run on OpenCL wait for their kernels themselves. */
#include "peer.hpp"

#include <glib/gstdio.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace bench {

namespace {

struct Output {
  bool ok;
  std::string text;
};

Output
run_ffmpeg (const std::vector<std::string> &arguments)
{
  std::vector<const char *> argv{"ffmpeg", "-hide_banner", "-nostdin", "-nostats"};
  for (const std::string &argument : arguments)
    argv.push_back (argument.c_str ());
  argv.push_back (nullptr);
  gchar *out = nullptr, *err = nullptr;
  gint status = 0;
  const bool spawned = g_spawn_sync (nullptr, const_cast<gchar **> (argv.data ()), nullptr, G_SPAWN_SEARCH_PATH,
      nullptr, nullptr, &out, &err, &status, nullptr);
  const Output result{
      spawned && g_spawn_check_wait_status (status, nullptr), spawned ? std::string (out) + err : std::string ()};
  g_free (out);
  g_free (err);
  return result;
}

/* The frames in a file, for as long as somebody filters them. */
class RawFile {
public:
  explicit RawFile (const Frames &frames)
  {
    GError *error = nullptr;
    gchar *name = nullptr;
    const int fd = g_file_open_tmp ("gst-cl-bench-XXXXXX.rgba", &name, &error);
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

/* "[bench @ 0x...] t:0.007802 avg:..." for every frame; the first of them are slower. */
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
  const size_t n_cold = samples.us.size () / 4;
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

/* FFmpeg's convolution takes integers and windows up to 7x7. */
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
  return for_each_plane (matrix, 1 / sum);
}

class Ffmpeg : public Peer {
public:
  explicit Ffmpeg (std::string version_) : program_version (std::move (version_)) {}

  std::string version () const override { return program_version; }

  std::optional<Contender> contender (const Case &what, const Frames &frames) override
  {
    const std::optional<std::string> filter = filter_for (what);
    if (!filter || what.gray)
      return std::nullopt;
    if (!file || measured_size != frames.size) {
      file = std::make_shared<RawFile> (frames);
      measured_size = frames.size;
    }
    /* a sample is the median over the frames of one run of the program: few of them do */
    return Contender{name (),
        [this, filter = *filter, size = frames.size, raw = file] {
          const Output output = run_ffmpeg (arguments (filter, size, raw->path));
          const Samples times = parse_times (output.text);
          if (!output.ok || times.us.empty ())
            throw std::runtime_error ("ffmpeg failed with " + filter + ": " + last_line (output.text));
          return times.median ();
        },
        5};
  }

protected:
  virtual std::optional<std::string> filter_for (const Case &what) const = 0;
  virtual std::vector<std::string> device_arguments () const = 0;
  virtual std::string format () const = 0;

private:
  std::vector<std::string> arguments (const std::string &filter, Size size, const std::string &path) const
  {
    std::vector<std::string> all = device_arguments ();
    const std::string chain = format () + ",bench=start," + filter + ",bench=stop";
    for (const std::string &argument : {std::string ("-f"), std::string ("rawvideo"), std::string ("-pix_fmt"),
             std::string ("rgba"), std::string ("-s"), size.text (), std::string ("-i"), path, std::string ("-vf"),
             chain, std::string ("-f"), std::string ("null"), std::string ("-")})
      all.push_back (argument);
    return all;
  }

  static std::string last_line (std::string text)
  {
    while (!text.empty () && text.back () == '\n')
      text.pop_back ();
    return text.substr (text.find_last_of ('\n') + 1);
  }

  std::string program_version;
  std::shared_ptr<RawFile> file;
  Size measured_size{};
};

/* Works on planes, so frames come as planes. */
class FfmpegCpu : public Ffmpeg {
public:
  using Ffmpeg::Ffmpeg;
  std::string name () const override { return "ffmpeg-cpu"; }

protected:
  std::string format () const override { return "format=gbrap"; }
  std::vector<std::string> device_arguments () const override { return {}; }

  /* bilateral and gblur are left out: they are recursive filters, other algorithms with other results */
  std::optional<std::string> filter_for (const Case &what) const override
  {
    if (const auto options = convolution_options (what))
      return "convolution=" + *options;
    switch (what.operation) {
      case Operation::median:
        return "median=radius=" + std::to_string (what.window / 2);
      case Operation::box:
        return "avgblur=sizeX=" + std::to_string (what.window / 2) + ":planes=15";
      case Operation::edges:
        return "sobel=planes=7";
      case Operation::erode:
        return what.window == 3 ? std::optional<std::string> ("erosion") : std::nullopt;
      case Operation::noise:
        return "noise=alls=13:allf=t";
      default:
        return std::nullopt;
    }
  }
};

class FfmpegOpenCl : public Ffmpeg {
public:
  FfmpegOpenCl (std::string version, const Device &device) : Ffmpeg (std::move (version)), index (device.index)
  {
    index[index.find (':')] = '.';
  }
  std::string name () const override { return "ffmpeg-opencl"; }

protected:
  std::string format () const override { return "format=rgba,hwupload"; }
  std::vector<std::string> device_arguments () const override
  {
    return {"-init_hw_device", "opencl=device:" + index, "-filter_hw_device", "device"};
  }

  std::optional<std::string> filter_for (const Case &what) const override
  {
    if (const auto options = convolution_options (what))
      return "convolution_opencl=" + *options;
    switch (what.operation) {
      case Operation::box:
        return "avgblur_opencl=sizeX=" + std::to_string (what.window / 2);
      case Operation::edges:
        return "sobel_opencl";
      case Operation::erode:
        return what.window == 3 ? std::optional<std::string> ("erosion_opencl") : std::nullopt;
      default:
        return std::nullopt;
    }
  }

private:
  std::string index;
};

/* "ffmpeg version 5.1.9-0+deb12u1 Copyright ..." */
std::optional<std::string>
ffmpeg_version ()
{
  const Output output = run_ffmpeg ({"-version"});
  std::istringstream words (output.text);
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

}  // namespace bench
