/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Other implementations of the same filters. */
#pragma once

#include "device.hpp"
#include "process.hpp"

#include <memory>

namespace bench {

class Peer {
public:
  Peer (std::string name, std::string version) : name (std::move (name)), version (std::move (version)) {}
  virtual ~Peer () = default;

  /** name: the key in JSON and in the targets. */
  const std::string name, version;
  /** A contender for these frames, which must outlive it; none if the peer has no such filter. */
  virtual std::optional<Contender> contender (const Case &what, const Frames &frames) = 0;
};

/** The newest frames as a file, for peers that are programs of their own; contenders keep it. */
class FrameFile {
public:
  struct File {
    TemporaryFolder folder;
    std::string path = folder.path + "/frames.raw";
  };

  std::shared_ptr<const File> of (const Frames &frames)
  {
    if (!file || size != frames.size || format != frames.format) {
      file = std::make_shared<const File> ();
      write_frames (frames, file->path);
      size = frames.size;
      format = frames.format;
    }
    return file;
  }

private:
  std::shared_ptr<const File> file;
  Size size{};
  std::string format;
};

/** OpenCV on the CPU, with all its threads, or its OpenCL path on the context's device. */
std::unique_ptr<Peer> make_opencv (GstClContext *context = nullptr);
/** Intel's IPP, whose libippi.so.12 is in the folder; null for "". */
std::unique_ptr<Peer> make_ipp (const std::string &folder);
/** The ffmpeg program, with CPU filters or filters on an OpenCL device; null without ffmpeg. */
std::unique_ptr<Peer> make_ffmpeg (const Device *device = nullptr);
/** Runs the ffmpeg program to its end. */
Output run_ffmpeg (std::vector<std::string> arguments);

/** A single FFmpeg filter, on frames of its test pattern that the filters `before` have prepared; device: for OpenCL
 *  filters. */
Contender time_ffmpeg (const std::string &before, const std::string &filter, const Size &size, const Device *device = nullptr);

/** NPP through the program npp_bench: the given one, or, for "", the one beside this program or in PATH; null if there is
 *  none. */
std::unique_ptr<Peer> make_npp (const std::string &program);

/** A peer's times that another program has measured on the same machine (--peer-results). */
struct ForeignResult {
  std::string peer, filter;
  int window, channels;
  Size size;
  Samples samples;
};

/** Parses lines of JSON, an object each. Throws std::runtime_error with the line's number. */
std::vector<ForeignResult> read_foreign_results (const std::string &path);

}  // namespace bench
