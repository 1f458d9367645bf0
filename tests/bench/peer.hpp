/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Other implementations of the same filters. */
#pragma once

#include "device.hpp"

#include <memory>

namespace bench {

class Peer {
public:
  virtual ~Peer () = default;

  /** The key in JSON and in the targets. */
  virtual std::string name () const = 0;
  virtual std::string version () const = 0;
  /** Somebody who filters these frames, which outlive it; none where the peer has no such filter. */
  virtual std::optional<Contender> contender (const Case &what, const Frames &frames) = 0;
};

/** OpenCV on the processor, with as many threads as it has. */
std::unique_ptr<Peer> make_opencv_cpu ();
/** OpenCV's OpenCL path on the context's device. */
std::unique_ptr<Peer> make_opencv_opencl (GstClContext *context);
/** The ffmpeg program, its own filters or those that run on an OpenCL device; null where there is no ffmpeg. */
std::unique_ptr<Peer> make_ffmpeg_cpu ();
std::unique_ptr<Peer> make_ffmpeg_opencl (const Device &device);

/** One of FFmpeg's filters by itself, on frames of its test pattern that the filters `before` have prepared; device: for filters that
 *  run on OpenCL. */
Contender time_ffmpeg (const std::string &before, const std::string &filter, const Size &size, const Device *device = nullptr);

/** NPP through the program npp_bench: the one that is named, or "" for the one beside this program or in PATH; null
 *  where there is none. */
std::unique_ptr<Peer> make_npp (const std::string &program);

/** A peer's times that another program measured on the same machine (--peer-results). */
struct ForeignResult {
  std::string peer, filter;
  int window, channels;
  Size size;
  Samples samples;
};

/** Lines of JSON, an object each. Throws std::runtime_error with the line's number. */
std::vector<ForeignResult> read_foreign_results (const std::string &path);

}  // namespace bench
