/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The targets. Ratios of kernel times: above 1 is faster than the peer. */
#include "../../pipelines/apps/common/glib.hpp"
#include "result.hpp"

#include <algorithm>

namespace bench {

namespace {

constexpr Size full_hd{1920, 1080}, ultra_hd{3840, 2160};

/** The default sizes of targets. */
constexpr Size cpu_size = full_hd, gpu_size = ultra_hd;

/** A peer, "copy" for the share of the device's copy limit, or a time in µs in place of a peer's. */
constexpr const char *opencv = "opencv-cpu", *npp = "npp", *by_the_clock = "us";

struct Wanted {
  const char *peer = nullptr;
  /** How many times faster, or µs. */
  double ratio = 0;
  Size size = {};
};

struct Target {
  const char *filter;
  int window;
  Wanted on_cpu, on_gpu = {};
};

constexpr Target targets[] = {
    {"convolve-int", 3, {opencv, 2}, {npp, 2.5}},
    {"convolve-int", 7, {opencv, 3}, {npp, 2}},
    {"convolve-int", 15, {opencv, 2}, {npp, 1.5}},
    {"convolve-real", 3, {opencv, 2}, {npp, 2.5}},
    {"convolve-real", 7, {opencv, 3}, {npp, 2}},
    {"convolve-real", 15, {opencv, 2}, {npp, 1.5}},
    {"gaussian", 13, {opencv, 1}, {copy_time, 0.5}},
    {"gaussian", 31, {opencv, 1.5}, {copy_time, 0.2}},
    {"median", 3, {opencv, 2.5}, {npp, 3.5}},
    {"median", 5, {opencv, 1.5}, {npp, 6}},
    {"median", 7, {opencv, 15}, {npp, 12}},
    {"median", 15, {opencv, 5}, {npp, 40}},
    {"median", 31, {opencv, 3}, {npp, 300}},
    {"bilateral", 5, {opencv, 1}, {npp, 4}},
    {"bilateral", 9, {opencv, 1}, {npp, 3}},
    {"blur", 13, {opencv, 1}, {copy_time, 0.5}},
    {"blur", 31, {opencv, 1.5}, {copy_time, 0.2}},
    {"blur", 49, {opencv, 1.5}, {copy_time, 0.2}},
    {"box", 21, {opencv, 1}, {copy_time, 0.45}},
    {"prewitt", 3, {opencv, 2}, {copy_time, 0.8}},
    {"sobel", 3, {opencv, 2}, {copy_time, 0.8}},
    {"erode", 3, {opencv, 1}, {npp, 2}},
    {"erode", 15, {opencv, 0.8}, {npp, 60}},
    {"dilate", 3, {opencv, 1}, {npp, 2}},
    {"dilate", 15, {opencv, 0.8}, {npp, 60}},
    {"equalize", 1, {}, {copy_time, 0.55}},
    {"threshold", 1, {opencv, 1}, {copy_time, 0.85}},
    {"colormatrix", 1, {opencv, 1}, {copy_time, 0.85}},
    {"noise", 1, {opencv, 5}, {copy_time, 0.85}},
    {"clahe-gray", 1, {opencv, 0.8}, {by_the_clock, 100, full_hd}},
    {"convolve-int-gray", 3, {}, {npp, 1.3}},
    {"erode-gray", 3, {}, {npp, 1.3}},
    {"prewitt-gray", 3, {}, {npp, 1.3}},
    {"sobel-gray", 3, {}, {npp, 1.3}},
    {"threshold-gray", 1, {}, {npp, 1.3}},
    {"equalize-gray", 1, {opencv, 0.8}},
};

/** Targets for every filter of these peers on the same device. */
struct PeerTarget {
  const char *peer;
  double cpu, gpu;
};

constexpr PeerTarget peer_targets[] = {
    {"ffmpeg-opencl", 20, 3},
    {"opencv-opencl", 10, 1.5},
};

/** Targets for whole elements. On a CPU, a frame may take this factor times its kernel time plus this many µs; on a discrete
 *  device, frames must reach this share of the rate that the bus, or a copy on the host, allows; in OpenCL memory the host may
 *  take this many µs. */
constexpr double cpu_pipeline_factor = 1.3, cpu_pipeline_us = 100, link_share = 0.8, opencl_pipeline_us = 15;

/** The largest share of the copy limit that any target requires, for filters of single samples. Targets that would need more
 *  are out of reach. */
constexpr double most_of_copy = 0.85;
/** A filter that reaches less than this share of the limit is slow even if its target is impossible. */
constexpr double least_of_limit = 0.5;

const Wanted &
wanted_of (const Target &target, const Device &device)
{
  return device.is_cpu ? target.on_cpu : target.on_gpu;
}

/* What a case must reach on a device at this size; null if there is no target. */
const Wanted *
wanted_of (const Case &what, const Device &device, Size size)
{
  for (const Target &target : targets) {
    const Wanted &wanted = wanted_of (target, device);
    if (target.filter == what.filter && target.window == what.window && wanted.peer)
      return size == (wanted.size.width ? wanted.size : device.is_cpu ? cpu_size : gpu_size) ? &wanted : nullptr;
  }
  return nullptr;
}

/* The reason, in numbers of this run, why a target cannot be reached; "" if it can. Every byte of the frame must be read and
 * written, so no filter is faster than the copy that was measured in turn with it. allowed: the time that the target leaves,
 * relative to the kernel's. */
std::string
bound_of (const Row &row, const std::string &rival, double allowed)
{
  const std::optional<double> share = row.copy_share (rival), kernel = row.time_of (kernel_time);
  if (!share || !kernel)
    return "";
  const double limit = *share * row.what.copies;
  const bool impossible = allowed < limit && limit >= least_of_limit;
  const bool out_of_reach = allowed < limit / most_of_copy && limit >= most_of_copy;
  return impossible || out_of_reach ? printed (
             "memory: %.0f us allowed, moving the bytes takes %.0f, ours %.0f", allowed * *kernel, limit * *kernel, *kernel)
                                    : "";
}

/* Judges a ratio to another contender. */
void
judge_rival (const Row &row, const std::string &rival, double wanted, std::vector<Verdict> &verdicts)
{
  Verdict verdict{row.what.title + ", kernel against " + rival, wanted,
      row.beside_kernel (rival, [] (double theirs, double kernel) { return theirs / kernel; }), rival};
  if (!verdict.reached)
    verdict.why = row.times.count (kernel_time) ? "no " + rival + " here" : "the element failed";
  else if (verdict.below () && rival != copy_time)
    verdict.why = bound_of (row, rival, *verdict.reached / wanted);
  verdicts.push_back (std::move (verdict));
}

void
judge_filter (const Section &section, const Row &row, std::vector<Verdict> &verdicts)
{
  if (const Wanted *wanted = wanted_of (row.what, section.device, section.size)) {
    if (std::string_view (wanted->peer) != by_the_clock) {
      judge_rival (row, wanted->peer, wanted->ratio, verdicts);
    } else {
      const std::optional<double> kernel = row.time_of (kernel_time);
      verdicts.push_back ({row.what.title + ", kernel within " + std::to_string (int (wanted->ratio)) + " us", 1,
          kernel ? std::optional<double> (wanted->ratio / *kernel) : std::nullopt, kernel_time});
    }
  }
  if (section.size != (section.device.is_cpu ? cpu_size : gpu_size))
    return;
  /* targets exist for filters; other cases are only informative */
  if (std::ranges::none_of (targets,
          [&] (const Target &each) { return row.what.filter == each.filter && wanted_of (each, section.device).peer; }))
    return;
  for (const PeerTarget &target : peer_targets)
    if (row.time_of (target.peer))
      judge_rival (row, target.peer, section.device.is_cpu ? target.cpu : target.gpu, verdicts);
}

/* Verdicts are ratios, too: the allowed time divided by the actual one. */
void
judge_pipelines (const Section &section, const Row &row, std::vector<Verdict> &verdicts)
{
  const auto allow = [&] (const char *name, const std::function<double (double)> &allowed, const std::string &what) {
    if (row.times.count (name))
      verdicts.push_back ({row.what.title + ", " + what, 1,
          row.beside_kernel (name, [&] (double taken, double kernel) { return allowed (kernel) / taken; }), name});
  };
  if (section.device.is_cpu) {
    /* a frame that the host copied is a miss, however fast */
    const double in_place = row.path == "host-shared" ? 1 : 0;
    allow (
        system_pipeline, [in_place] (double kernel) { return in_place * (cpu_pipeline_factor * kernel + cpu_pipeline_us); },
        "whole element within 1.3 kernel + 100 us, " + row.path);
    return;
  }
  if (section.limits.link && !row.what.gray) { /* the bus was measured with RGBA */
    const double link = section.limits.link->typical ();
    allow (
        proposed_pipeline, [&] (double kernel) { return std::max (kernel, link) / link_share; },
        "whole element at 80 % of the link");
    const double host = std::max (link, section.limits.host_copy->typical ());
    allow (
        system_pipeline, [&] (double kernel) { return std::max (kernel, host) / link_share; },
        "whole element on memory of its own at 80 % of one copy by the host");
  }
  allow (
      opencl_pipeline, [] (double kernel) { return kernel + opencl_pipeline_us; }, "OpenCL memory within kernel + 15 us");
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

std::optional<double>
Row::beside_kernel (const std::string &name, const std::function<double (double, double)> &f) const
{
  if (const auto found = again.find (name); found != again.end ())
    return per_turn (found->second.theirs, found->second.kernel, f);
  const auto theirs = times.find (name), kernel = times.find (kernel_time);
  if (theirs == times.end () || kernel == times.end ())
    return std::nullopt;
  return per_turn (theirs->second, kernel->second, f);
}

std::optional<double>
Row::copy_share (const std::string &name) const
{
  const auto share = [] (double copy, double kernel) { return copy / kernel; };
  if (const auto found = again.find (name); found != again.end () && !found->second.copy.us.empty ())
    return per_turn (found->second.copy, found->second.kernel, share);
  return beside_kernel (copy_time, share);
}

std::vector<Verdict>
judge_row (const Section &section, const Row &row)
{
  std::vector<Verdict> verdicts;
  judge_filter (section, row, verdicts);
  if (section.size == full_hd || section.size == ultra_hd)
    judge_pipelines (section, row, verdicts);
  return verdicts;
}

std::vector<Verdict>
judge (const Section &section)
{
  std::vector<Verdict> verdicts;
  for (const Row &row : section.rows)
    for (Verdict &verdict : judge_row (section, row))
      verdicts.push_back (std::move (verdict));
  return verdicts;
}

bool
has_target (const Device &device, Size size, const Case &what)
{
  return wanted_of (what, device, size);
}

std::set<std::string>
target_peers (const Device &device)
{
  std::set<std::string> names;
  for (const PeerTarget &target : peer_targets)
    names.insert (target.peer);
  for (const Target &target : targets)
    if (const char *peer = wanted_of (target, device).peer)
      names.insert (peer);
  return names;
}

}  // namespace bench
