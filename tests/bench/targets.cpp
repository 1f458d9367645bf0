/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What must be reached. Ratios of kernel time: above 1 is faster than the peer. */
#include "result.hpp"

#include <algorithm>
#include <span>

namespace bench {

namespace {

/** Targets hold at this size of frame. */
constexpr Size cpu_size{1920, 1080}, gpu_size{3840, 2160};

struct Target {
  const char *filter;
  int window;
  /** A peer, or "copy": the share of the device's copy limit. */
  const char *peer;
  double ratio;
};

constexpr Target cpu_targets[] = {
    {"convolve-int", 3, "opencv-cpu", 2},
    {"convolve-int", 7, "opencv-cpu", 3},
    {"convolve-int", 15, "opencv-cpu", 2},
    {"convolve-real", 3, "opencv-cpu", 2},
    {"convolve-real", 7, "opencv-cpu", 3},
    {"convolve-real", 15, "opencv-cpu", 2},
    {"gaussian", 13, "opencv-cpu", 1},
    {"gaussian", 31, "opencv-cpu", 1.5},
    {"median", 3, "opencv-cpu", 2.5},
    {"median", 5, "opencv-cpu", 1.5},
    {"median", 7, "opencv-cpu", 15},
    {"median", 15, "opencv-cpu", 5},
    {"median", 31, "opencv-cpu", 3},
    {"bilateral", 5, "opencv-cpu", 1},
    {"bilateral", 9, "opencv-cpu", 1},
    {"blur", 13, "opencv-cpu", 1},
    {"blur", 31, "opencv-cpu", 1.5},
    {"blur", 49, "opencv-cpu", 1.5},
    {"box", 21, "opencv-cpu", 1},
    {"prewitt", 3, "opencv-cpu", 2},
    {"sobel", 3, "opencv-cpu", 2},
    {"erode", 3, "opencv-cpu", 1},
    {"erode", 15, "opencv-cpu", 0.8},
    {"equalize-gray", 1, "opencv-cpu", 0.8},
    {"clahe-gray", 1, "opencv-cpu", 0.8},
    {"threshold", 1, "opencv-cpu", 1},
    {"colormatrix", 1, "opencv-cpu", 1},
    {"noise", 1, "opencv-cpu", 5},
};

constexpr Target gpu_targets[] = {
    {"convolve-int", 3, "npp", 2.5},
    {"convolve-int", 7, "npp", 2},
    {"convolve-int", 15, "npp", 1.5},
    {"convolve-real", 3, "npp", 2.5},
    {"convolve-real", 7, "npp", 2},
    {"convolve-real", 15, "npp", 1.5},
    {"gaussian", 13, "copy", 0.5},
    {"gaussian", 31, "copy", 0.2},
    {"median", 3, "npp", 3.5},
    {"median", 5, "npp", 6},
    {"median", 7, "npp", 12},
    {"median", 15, "npp", 40},
    {"median", 31, "npp", 300},
    {"bilateral", 5, "npp", 4},
    {"bilateral", 9, "npp", 3},
    {"blur", 13, "copy", 0.5},
    {"blur", 31, "copy", 0.2},
    {"blur", 49, "copy", 0.2},
    {"box", 21, "copy", 0.45},
    {"prewitt", 3, "copy", 0.8},
    {"sobel", 3, "copy", 0.8},
    {"erode", 3, "npp", 2},
    {"erode", 15, "npp", 60},
    {"equalize", 1, "copy", 0.55},
    {"threshold", 1, "copy", 0.85},
    {"colormatrix", 1, "copy", 0.85},
    {"noise", 1, "copy", 0.85},
};

/** Against every filter of these peers on the same device. */
struct PeerTarget {
  const char *peer;
  double cpu, gpu;
};

constexpr PeerTarget peer_targets[] = {
    {"ffmpeg-opencl", 20, 3},
    {"opencv-opencl", 10, 1.5},
};

/** Whole elements. On a CPU a frame may take so much of its kernel time plus so many microseconds; on a discrete
 *  device frames must come at this share of what the link allows; in OpenCL memory so many microseconds of host. */
constexpr double cpu_pipeline_factor = 1.3, cpu_pipeline_us = 100, link_share = 0.8, opencl_pipeline_us = 15;

std::optional<double>
quotient (std::optional<double> above, std::optional<double> below)
{
  if (!above || !below)
    return std::nullopt;
  return *above / *below;
}

void
judge_filter (const Section &section, const Row &row, std::vector<Verdict> &verdicts)
{
  const std::span<const Target> targets =
      section.device.is_cpu ? std::span<const Target> (cpu_targets) : std::span<const Target> (gpu_targets);
  const std::optional<double> ours = row.time_of (kernel_time);
  for (const Target &target : targets) {
    if (target.filter != row.what.filter || target.window != row.what.window)
      continue;
    const std::string peer = target.peer;
    const std::optional<double> theirs = peer == "copy" ? section.limits.copy_us () : row.time_of (peer);
    verdicts.push_back ({row.what.title + ", kernel against " + peer, target.ratio, quotient (theirs, ours)});
  }
  for (const PeerTarget &target : peer_targets)
    if (const std::optional<double> theirs = row.time_of (target.peer))
      verdicts.push_back ({row.what.title + ", kernel against " + target.peer,
          section.device.is_cpu ? target.cpu : target.gpu, quotient (theirs, ours)});
}

/* Verdicts as ratios too: the time that is allowed over the time that was taken. */
void
judge_pipelines (const Section &section, const Row &row, std::vector<Verdict> &verdicts)
{
  const std::optional<double> kernel = row.time_of (kernel_time);
  if (!kernel)
    return;
  const auto allow = [&] (const char *name, double allowed, const char *what) {
    if (const std::optional<double> taken = row.time_of (name))
      verdicts.push_back ({row.what.title + ", " + what, 1, allowed / *taken});
  };
  if (section.device.is_cpu)
    allow (
        system_pipeline, cpu_pipeline_factor * *kernel + cpu_pipeline_us, "whole element within 1.3 kernel + 100 us");
  if (section.limits.link)
    allow (proposed_pipeline, std::max (*kernel, section.limits.link->typical ()) / link_share,
        "whole element at 80 % of the link");
  if (!section.device.is_cpu)
    allow (opencl_pipeline, *kernel + opencl_pipeline_us, "OpenCL memory within kernel + 15 us");
}

}  // namespace

std::optional<double>
Row::time_of (const std::string &name) const
{
  const auto found = times.find (name);
  if (found == times.end () || found->second.us.empty ())
    return std::nullopt;
  return found->second.typical ();
}

std::vector<Verdict>
judge (const Section &section)
{
  std::vector<Verdict> verdicts;
  if (section.size != (section.device.is_cpu ? cpu_size : gpu_size))
    return verdicts;
  for (const Row &row : section.rows) {
    judge_filter (section, row, verdicts);
    judge_pipelines (section, row, verdicts);
  }
  return verdicts;
}

}  // namespace bench
