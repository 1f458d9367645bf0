/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is measured: cases, frames, and who takes part. */
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

struct Size {
  int width, height;

  size_t bytes () const { return size_t (width) * height * 4; }
  std::string text () const { return std::to_string (width) + "x" + std::to_string (height); }
  bool operator== (const Size &) const = default;
};

/** Every buffer is one of so many, so that no cache holds the frame that comes next. */
constexpr int n_rotated = 8;

/** How many of them are in use where each is so large: enough to fill any cache. */
int rotated_frames (size_t bytes);

/** Pictures that take turns, RGBA or GRAY8. */
struct Frames {
  Size size;
  std::vector<std::vector<uint8_t>> pixels;
  std::string origin;
  std::string format = "RGBA";

  size_t bytes () const { return pixels.front ().size (); }
};

enum class Operation {
  convolve,
  gaussian,
  box,
  median,
  bilateral,
  edges,
  erode,
  equalize,
  clahe,
  threshold,
  color_matrix,
  noise,
  dilate,
  open,
  gradient,
  unsharp,
  nlmeans,
  deblock,
  levels,
  histogram,
  temporal_average,
  temporal_median,
  deinterlace,
  blend,
  compare,
  warp,
};

/** An element as a chain has it. */
struct Stage {
  std::string element;
  std::vector<std::pair<std::string, std::string>> properties;
  unsigned planes = 15;
};

/** One filter with one window. */
struct Case {
  /** Name and window's edge: the key in JSON, in the targets and in peers' results. */
  std::string filter;
  int window;
  std::string title;
  Operation operation;
  std::string element;
  std::vector<std::pair<std::string, std::string>> properties;
  /** Components that are filtered, as the element's `planes`; peers that take three channels get three. */
  unsigned planes;
  /** The taps that peers need, row by row (convolve) or of one dimension (gaussian). */
  std::vector<float> taps;
  bool integer_taps = false;
  double sigma_space = 0, sigma_range = 0;
  /** Whether peers offer the same operation; a case without is for information. */
  bool has_peers = true;
  /** On GRAY8 frames, for peers that know no others. */
  bool gray = false;
  /** Streams that the element takes; the second one is a frame ahead. */
  int inputs = 1;
  /** Frames that the element holds back, because it looks at those behind. */
  int delay = 0;
  /** The element hands frames on as they came, so that nobody can wait for its kernels: these alone are timed. */
  bool looks_only = false;
  /** Bytes that have to be moved, in copies of a frame. */
  double copies = 1;
  /** Elements behind the first one. */
  std::vector<Stage> chain = {};

  std::string key () const { return filter + " " + std::to_string (window); }
  int channels () const { return gray ? 1 : planes & 8 ? 4 : 3; }
};

/** Names of our own times beside the peers', and of the copy that bounds them. */
constexpr const char *kernel_time = "kernel";
constexpr const char *system_pipeline = "pipeline-system";
constexpr const char *proposed_pipeline = "pipeline-proposed";
constexpr const char *opencl_pipeline = "pipeline-opencl";
constexpr const char *copy_time = "copy";

/** The cases whose name holds wanted; all for "". */
std::vector<Case> make_cases (const std::string &wanted);
/** The case of this "name window". Throws std::runtime_error. */
Case find_case (const std::string &key);

/** Times in microseconds per frame. */
struct Samples {
  std::vector<double> us;
  /** Whether the shortest time speaks for them, instead of the median. */
  bool best = false;
  /** Whether sample i is of turn i, as everybody's. */
  bool in_turn = true;

  double typical () const { return best ? minimum () : median (); }

  double median () const;
  double minimum () const;
  double maximum () const;
};

/** What f makes of the times of two contenders, free of what slowed the machine down for a while: the median over the
 *  turns in which both took part, since neighbours in time suffer alike. Ratios of minima would compare moments that
 *  lie far apart, and flatter whoever has the shorter samples, which find a quiet moment sooner. Where samples did
 *  not take turns, or the shortest speaks for all, f of the typical times. */
double per_turn (const Samples &a, const Samples &b, const std::function<double (double, double)> &f);

/** Somebody who filters frames; run() gives the microseconds per frame of one more sample. */
struct Contender {
  std::string name;
  std::function<double ()> run;
  /** Samples at most; 0 = as many as the others. */
  int most_runs = 0;
};

/** How long to measure. */
struct Effort {
  /** Samples that everybody gets while budget lasts. */
  int runs;
  /** Seconds after which a slow contender stops once it has least_runs samples. */
  double budget;
  int least_runs;
};

using Progress = std::function<void (const std::string &)>;

/** Times by contender, and for those that failed the reasons. */
struct Outcome {
  std::map<std::string, Samples> times;
  std::map<std::string, std::string> failures;
};

/** The contenders in turn, A B A B ..., after one sample each that does not count. */
Outcome measure (const std::vector<Contender> &contenders, const Effort &effort, const Progress &progress);

/** A monotonic clock in microseconds. */
double now_us ();

/** Microseconds per call: a long call stands alone, short ones are repeated until a clock can tell. */
double time_burst (const std::function<void ()> &call, const std::function<void ()> &finish);

Frames make_frames (Size size, const std::string &uri);
/** One that is drawn and moved copies of it, as many as are in use at this size: sooner done where frames are large. */
Frames make_moved_frames (Size size);

/** The green components of RGBA frames. */
Frames gray_of (const Frames &rgba);

}  // namespace bench
