/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The data of the benchmark: cases, frames, and contenders. */
#pragma once

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

/** Frames rotate over this many buffers, so that no cache holds the next frame. */
constexpr int n_rotated = 8;

/** How many of them are used for frames of this size: enough to exceed any cache. */
int rotated_frames (size_t bytes);

/** Rotating pictures, RGBA, GRAY8 or GRAY16_LE. */
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

/** An element of a chain. */
struct Stage {
  using Properties = std::vector<std::pair<std::string, std::string>>;

  std::string element;
  Properties properties;
  unsigned planes = 15;
};

/** One filter with one window. */
struct Case {
  /** Name and window size: the key in JSON, in the targets and in peers' results. */
  std::string filter;
  int window;
  std::string title;
  Operation operation;
  std::string element;
  Stage::Properties properties = {};
  /** Components that are filtered, as the element's `planes`; peers that take three channels get three. */
  unsigned planes = 15;
  /** The taps for peers, row by row (convolve) or of one dimension (gaussian). */
  std::vector<float> taps = {};
  bool integer_taps = false;
  double sigma_space = 0, sigma_range = 0;
  /** Whether peers have the same operation; without peers a case is only informative. */
  bool has_peers = true;
  /** On GRAY8 frames, for peers that support only these. */
  bool gray = false;
  /** With 16 bits a sample, GRAY16_LE. */
  bool deep = false;
  /** The number of input streams; the second one is a frame ahead. */
  int inputs = 1;
  /** How many frames the element holds back because it needs later ones. */
  int delay = 0;
  /** The element passes frames unchanged, so that waiting for a frame does not wait for its kernels; only kernel times are
   *  measured. */
  bool looks_only = false;
  /** How many bytes must be moved, relative to a copy of a frame. */
  double copies = 1;
  /** Elements after the first one. */
  std::vector<Stage> chain = {};

  std::string key () const { return filter + " " + std::to_string (window); }
  int channels () const { return gray ? 1 : planes & 8 ? 4 : 3; }
};

/** Names of our own times beside the peers', and of the copy that limits them. */
constexpr const char *kernel_time = "kernel";
constexpr const char *system_pipeline = "pipeline-system";
constexpr const char *proposed_pipeline = "pipeline-proposed";
constexpr const char *opencl_pipeline = "pipeline-opencl";
constexpr const char *copy_time = "copy";

/** A number in the syntax of properties, in any locale. */
std::string number (double value);

/** Taps of full rank, which cannot be factorised. */
Case convolve_case (int window, bool integers);
Case median_case (int window);
Case box_case (int radius);
/** clblur, the element for this purpose; the case `gaussian` is the same with a matrix. */
Case blur_case (double sigma, int radius);
Case erode_case (int radius);

/** The cases whose name contains wanted; all for "". */
std::vector<Case> make_cases (const std::string &wanted);
/** The case "name window". Throws std::runtime_error. */
Case find_case (const std::string &key);

/** Times in µs per frame. */
struct Samples {
  std::vector<double> us;
  /** Whether the shortest time is the result, instead of the median. */
  bool best = false;
  /** Whether sample i was measured in turn i, like the others'. */
  bool in_turn = true;

  double typical () const { return best ? minimum () : median (); }

  double median () const;
  double minimum () const;
  double maximum () const;
};

/** Applies f to the times of two contenders, without the effect of temporary slowdowns: the median over all turns in which both
 *  took part, because samples of one turn are affected alike. A ratio of minima would compare distant moments, and favour the
 *  contender with shorter samples, which fit into shorter quiet periods. If samples were not taken in turns, or the shortest
 *  counts, applies f to the typical times. */
double per_turn (const Samples &a, const Samples &b, const std::function<double (double, double)> &f);

/** A contender that filters frames; run() returns the µs per frame of one more sample. */
struct Contender {
  std::string name;
  std::function<double ()> run;
  /** The largest number of samples; 0 = as many as the others. */
  int most_runs = 0;
};

/** How long to measure. */
struct Effort {
  /** Samples for every contender, within the budget. */
  int runs;
  /** Seconds after which a slow contender stops, if it has least_runs samples. */
  double budget;
  int least_runs;
};

using Progress = std::function<void (const std::string &)>;

/** Times by contender, and the reasons of those that failed. */
struct Outcome {
  std::map<std::string, Samples> times;
  std::map<std::string, std::string> failures;
};

/** Measures the contenders in turn, A B A B ..., after one sample each that does not count. */
Outcome measure (const std::vector<Contender> &contenders, const Effort &effort, const Progress &progress);

/** A monotonic clock in µs. */
double now_us ();

/** Microseconds per call: a long call is measured once, short ones are repeated until the clock is precise enough. */
double time_burst (const std::function<void ()> &call, const std::function<void ()> &finish);

Frames make_frames (Size size, const std::string &uri);
/** Draws one frame and makes shifted copies of it, as many as are used at this size; faster for large frames. */
Frames make_moved_frames (Size size);

/** Writes the pixels of all frames, one after another. Throws std::runtime_error. */
void write_frames (const Frames &frames, const std::string &path);

/** The green components of RGBA frames, with 8 or 16 bits. */
Frames gray_of (const Frames &rgba, bool deep = false);

}  // namespace bench
