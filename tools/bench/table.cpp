/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace bench {

ContextPointer
open_context (const Device &device)
{
  try {
    return Ref<GstClContext>::take (
        checked_call ([&] (GError **error) { return gst_cl_context_new (device.index.c_str (), error); }));
  } catch (const std::runtime_error &error) {
    throw std::runtime_error (device.name + ": " + error.what ());
  }
}

std::vector<Device>
wanted_devices (const Options &options)
{
  std::vector<Device> devices = list_devices (options.device);
  if (devices.empty ())
    throw std::runtime_error (options.device.empty () ? "no OpenCL device" : "no OpenCL device " + options.device);
  return devices;
}

int
frames_per_sample (Pipeline &pipeline, double wanted_us)
{
  constexpr double surely_slow_us = 150000;
  pipeline.run (1); /* builds the programs */
  double us = pipeline.run (2);
  /* results rotate over memory that was never touched, and touching it may take longer than the filter */
  if (us < surely_slow_us) {
    pipeline.run (2 * n_rotated);
    us = pipeline.run (n_rotated / 2);
  }
  return std::clamp (int (wanted_us / us), us < 20000 ? 4 : 2, 400);
}

Contender
kernel_contender (GstClContext *context, const Device &device, const Case &what, const Frames &frames)
{
  const auto timed = std::make_shared<Pipeline> (context, device.index, what, frames, Memory::opencl, true);
  /* a GPU must be busy to run at its full clock, and its own timers are precise, so one frame of a burst suffices */
  if (!device.is_cpu) {
    const int burst = frames_per_sample (*timed, 2000);
    return {kernel_time, [timed, burst] {
              timed->run (burst);
              return timed->kernel_us ();
            }};
  }
  /* on a CPU, the mean of consecutive frames, because sleeping worker threads wake one after another */
  const int burst = frames_per_sample (*timed, 20000);
  return {kernel_time, [timed, burst] { return timed->run_kernels (burst); }};
}

Contender
pipeline_contender (const char *name, std::shared_ptr<Pipeline> pipeline)
{
  const int n = frames_per_sample (*pipeline, 50000);
  return {name, [pipeline, n] { return pipeline->run (n); }};
}

namespace {

using Peers = std::vector<std::unique_ptr<Peer>>;

std::string
processor_name ()
{
  std::ifstream file ("/proc/cpuinfo");
  for (std::string line; std::getline (file, line);)
    if (line.starts_with ("model name"))
      return line.substr (line.find (':') + 2);
  return "unknown";
}

void
append (Peers &peers, std::unique_ptr<Peer> peer)
{
  if (peer)
    peers.push_back (std::move (peer));
}

/* In `check`, only peers that appear in targets. */
Peers
make_peers (const Options &options, GstClContext *context, const Device &device)
{
  const std::set<std::string> named = target_peers (device);
  const auto wants = [&] (const char *name) {
    return options.wants_peer (name) && (options.verb != Verb::check || named.count (name));
  };
  Peers peers;
#ifdef HAVE_OPENCV
  if (wants ("opencv-cpu"))
    append (peers, make_opencv ());
  if (wants ("opencv-opencl")) {
    try {
      append (peers, make_opencv (context));
    } catch (const std::exception &error) {
      std::cerr << "opencv-opencl left out on " << device.name << ": " << error.what () << std::endl;
    }
  }
  if (wants ("ipp"))
    append (peers, make_ipp (options.ipp));
#endif
  if (wants ("ffmpeg-cpu"))
    append (peers, make_ffmpeg ());
  if (wants ("ffmpeg-opencl"))
    append (peers, make_ffmpeg (&device));
  if (!device.is_cpu && wants ("npp"))
    append (peers, make_npp (options.npp));
  return peers;
}

/* Our element: its kernels, and whole pipelines with each kind of memory that a target or the table needs. */
void
append_ours (const Options &options, GstClContext *context, const Device &device, const Frames &frames, Row &row,
    std::vector<Contender> &contenders)
{
  const auto open = [&] (Memory memory) {
    return std::make_shared<Pipeline> (context, device.index, row.what, frames, memory, false);
  };
  contenders.push_back (kernel_contender (context, device, row.what, frames));
  const auto system = open (Memory::system);
  if (!row.what.looks_only) {
    const bool all = options.verb != Verb::check || !device.is_cpu;
    contenders.push_back (pipeline_contender (system_pipeline, system));
    if (all && row.what.inputs == 1)
      contenders.push_back (pipeline_contender (proposed_pipeline, open (Memory::proposed)));
    if (all)
      contenders.push_back (pipeline_contender (opencl_pipeline, open (Memory::opencl)));
  } else {
    system->run (2);
  }
  row.algorithm = system->stat ("algorithm");
  row.path = system->stat ("path");
}

void
append_foreign (Row &row, Size size, const std::vector<ForeignResult> &foreign)
{
  for (const ForeignResult &result : foreign) {
    if (result.filter != row.what.filter || result.window != row.what.window || result.size != size
        || result.channels != row.what.channels ())
      continue;
    const std::optional<double> known = row.time_of (result.peer);
    if (!known || result.samples.typical () < *known) /* its fastest function */
      row.times[result.peer] = result.samples;
  }
}

std::vector<Contender>
contenders_for (
    Row &row, const Options &options, GstClContext *context, const Device &device, const Frames &frames, const Peers &peers)
{
  std::vector<Contender> contenders;
  try {
    append_ours (options, context, device, frames, row, contenders);
    contenders.push_back (copy_contender (context, frames.bytes ()));
  } catch (const std::exception &error) {
    row.notes.push_back (std::string ("not measured: ") + error.what ());
  }
  for (const std::unique_ptr<Peer> &peer : peers) {
    if (!row.what.has_peers)
      continue;
    try {
      if (std::optional<Contender> contender = peer->contender (row.what, frames))
        contenders.push_back (std::move (*contender));
    } catch (const std::exception &error) {
      row.notes.push_back (peer->name + " left out: " + error.what ());
    }
  }
  return contenders;
}

const Contender *
find (const std::vector<Contender> &contenders, const std::string &name)
{
  const auto found = std::ranges::find (contenders, name, &Contender::name);
  return found == contenders.end () ? nullptr : &*found;
}

/* Measures a missed target again: only the kernel, its rival and the copy take part, with more samples in quick succession;
 * once more if necessary. The last measurement counts. */
void
insist (const Section &section, Row &row, const std::vector<Contender> &contenders, const Progress &progress)
{
  constexpr Effort efforts[] = {{21, 2, 5}, {41, 5, 7}};
  const Contender *kernel = find (contenders, kernel_time), *copy = find (contenders, copy_time);
  for (const Effort &effort : efforts)
    for (const Verdict &verdict : judge_row (section, row)) {
      const Contender *rival = find (contenders, verdict.rival);
      const bool again = &effort == efforts ? verdict.below () : verdict.missed ();
      if (!again || !rival || !kernel || !copy)
        continue;
      std::vector<Contender> few{*kernel, *copy};
      if (rival != kernel && rival != copy)
        few.push_back (*rival);
      const Outcome outcome = measure (few, effort, [&] (const std::string &text) { progress ("again, " + text); });
      if (outcome.failures.empty ())
        row.again[rival->name] = {outcome.times.at (rival->name), outcome.times.at (kernel_time), outcome.times.at (copy_time)};
    }
}

struct Scene {
  GstClContext *context;
  const Options &options;
  const Peers &peers;
  const std::vector<ForeignResult> &foreign;
};

void
measure_row (const Scene &scene, Section &section, const Case &what, const Frames &frames, const Progress &progress)
{
  Row row{.what = what};
  const std::vector<Contender> contenders =
      contenders_for (row, scene.options, scene.context, section.device, frames, scene.peers);
  Outcome outcome = measure (contenders, scene.options.effort (), progress);
  row.times = std::move (outcome.times);
  for (auto &[name, samples] : row.times)
    samples.best = scene.options.best;
  for (const auto &[name, reason] : outcome.failures)
    row.notes.push_back (name + " failed: " + reason);
  if (!section.device.is_cpu) /* these come from a GPU */
    append_foreign (row, section.size, scene.foreign);
  if (scene.options.verb == Verb::check)
    insist (section, row, contenders, progress);
  section.rows.push_back (std::move (row));
}

/* The requested cases at this size. In `check`: cases with targets, cases in targets for all filters against a peer on the same
 * device, and one that shows a GPU's bus at every size. */
std::vector<Case>
cases_for (const Options &options, const Device &device, Size size)
{
  std::vector<Case> cases = make_cases (options.filter);
  if (options.verb != Verb::check)
    return cases;
  const Size first = device.is_cpu ? Size{1920, 1080} : Size{3840, 2160};
  std::erase_if (cases, [&] (const Case &what) {
    const bool shows_link = device.is_discrete && what.key () == "median 3";
    return !has_target (device, size, what) && !shows_link && (size != first || !what.has_peers);
  });
  return cases;
}

std::vector<Size>
sizes_for (const Options &options, const Device &device)
{
  if (!options.sizes.empty ())
    return options.sizes;
  std::vector<Size> sizes{{1920, 1080}};
  if (!device.is_cpu)
    sizes.push_back ({3840, 2160});
  return sizes;
}

void
measure_device (const Device &device, const Options &options, const std::vector<ForeignResult> &foreign, Report &report,
    ProgressLine &progress)
{
  const ContextPointer context = open_context (device);
  const Peers peers = make_peers (options, context.get (), device);
  for (const std::unique_ptr<Peer> &peer : peers) {
    if (std::find (report.peers.begin (), report.peers.end (), peer->name) != report.peers.end ())
      continue;
    report.peers.push_back (peer->name);
    report.header.push_back ({peer->name, peer->version});
  }
  const Scene scene{context.get (), options, peers, foreign};
  for (const Size &size : sizes_for (options, device)) {
    const std::vector<Case> cases = cases_for (options, device, size);
    if (cases.empty ())
      continue;
    const Frames frames = make_frames (size, options.uri);
    const Frames gray = gray_of (frames), deep = gray_of (frames, true);
    if (!options.save_frames.empty ())
      write_frames (frames, options.save_frames);
    progress.step (device.name + " " + size.text () + " copy limit");
    Section section{device, size, measure_limits (context.get (), device, size, 31), {}};
    section.limits.copy_kernel.best = section.limits.copy_command.best = options.best;
    for (size_t i = 0; i < cases.size (); i++) {
      progress.step ("[" + std::to_string (i + 1) + "/" + std::to_string (cases.size ()) + "] " + device.name + " "
                     + size.text () + " " + cases[i].title);
      measure_row (scene, section, cases[i], cases[i].deep ? deep : cases[i].gray ? gray : frames, progress.detail ());
    }
    if (report.sections.empty ())
      report.header.push_back ({"frames", std::to_string (n_rotated) + " in turn, " + frames.origin});
    report.sections.push_back (std::move (section));
  }
}

}  // namespace

Header
make_header (const Options &options)
{
  const Effort effort = options.effort ();
  double load = 0;
  const bool has_load = getloadavg (&load, 1) == 1;
  Header header{{"processor", processor_name () + ", " + std::to_string (std::thread::hardware_concurrency ()) + " cores"},
      {"load at the start", has_load ? printed ("%.1f", load) : "unknown"}, {"gst-plugins-cl", BENCH_VERSION},
      {"GStreamer", text_of (gst_version_string ())},
      {"samples", std::to_string (effort.runs) + " in turn after a warm-up, "
                      + (options.best ? "the shortest counts" : "medians") + " (fewer, but at least "
                      + std::to_string (effort.least_runs) + ", of what takes over "
                      + std::to_string (int (std::ceil (effort.budget)))
                      + " s in all; at most 5 runs of ffmpeg, each the median of its frames)"}};
  if (const char *backend = g_getenv ("GST_CL_BACKEND"))
    header.push_back ({"GST_CL_BACKEND", backend});
  return header;
}

Report
measure_table (const Options &options, ProgressLine &progress)
{
  const std::vector<Device> devices = wanted_devices (options);
  if (make_cases (options.filter).empty ())
    throw std::runtime_error ("no filter " + options.filter);
  std::vector<ForeignResult> foreign;
  if (!options.peer_results.empty ())
    foreign = read_foreign_results (options.peer_results);
  Report report;
  report.header = make_header (options);
  for (const ForeignResult &result : foreign)
    if (std::find (report.peers.begin (), report.peers.end (), result.peer) == report.peers.end ())
      report.peers.push_back (result.peer);
  for (const Device &device : devices)
    measure_device (device, options, foreign, report, progress);
  return report;
}

}  // namespace bench
