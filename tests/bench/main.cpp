/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gst-cl-bench: our elements and their peers on the same frames in turn. */
#include "options.hpp"
#include "peer.hpp"
#include "pipeline.hpp"
#include "result.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <thread>

using namespace bench;

namespace {

using Peers = std::vector<std::unique_ptr<Peer>>;

/* One line on stderr that is written over; whole lines where that is no terminal. */
class ProgressLine {
public:
  ~ProgressLine () { show (""); }

  void show (const std::string &text)
  {
    if (terminal)
      std::cerr << "\r\033[K" << text << std::flush;
  }
  void step (const std::string &text)
  {
    current = text;
    if (!terminal)
      std::cerr << text << std::endl;
  }
  Progress detail ()
  {
    return [this] (const std::string &text) { show (current + ": " + text); };
  }

private:
  const bool terminal = isatty (STDERR_FILENO);
  std::string current;
};

std::string
processor_name ()
{
  std::ifstream file ("/proc/cpuinfo");
  for (std::string line; std::getline (file, line);)
    if (line.starts_with ("model name"))
      return line.substr (line.find (':') + 2);
  return "unknown";
}

/* What else the machine was doing. */
std::string
load_average ()
{
  double load[1];
  if (getloadavg (load, 1) != 1)
    return "unknown";
  char text[32];
  std::snprintf (text, sizeof text, "%.1f", load[0]);
  return text;
}

void
fill_header (Report &report, const Options &options, const Peers &peers)
{
  gchar *gst = gst_version_string ();
  report.header = {
      {"processor", processor_name () + ", " + std::to_string (std::thread::hardware_concurrency ()) + " cores"},
      {"load at the start", load_average ()}, {"gst-plugins-cl", BENCH_VERSION}, {"GStreamer", gst},
      {"samples", std::to_string (options.effort ().runs) + " in turn after a warm-up, "
                      + (options.best ? "the shortest counts" : "medians") + " (fewer, but at least "
                      + std::to_string (options.effort ().least_runs) + ", of what takes over "
                      + std::to_string (int (std::ceil (options.effort ().budget)))
                      + " s in all; at most 5 runs of ffmpeg, each the median of its frames)"}};
  g_free (gst);
  if (const char *backend = g_getenv ("GST_CL_BACKEND"))
    report.header.push_back ({"GST_CL_BACKEND", backend});
  for (const std::unique_ptr<Peer> &peer : peers)
    report.header.push_back ({peer->name (), peer->version ()});
}

void
append (Peers &peers, std::unique_ptr<Peer> peer)
{
  if (peer)
    peers.push_back (std::move (peer));
}

Peers
make_peers (const Options &options, GstClContext *context, const Device &device)
{
  Peers peers;
#ifdef HAVE_OPENCV
  if (options.wants_peer ("opencv-cpu"))
    append (peers, make_opencv_cpu ());
  if (options.wants_peer ("opencv-opencl")) {
    try {
      append (peers, make_opencv_opencl (context));
    } catch (const std::exception &error) {
      std::cerr << "opencv-opencl left out on " << device.name << ": " << error.what () << std::endl;
    }
  }
#endif
  if (options.wants_peer ("ffmpeg-cpu"))
    append (peers, make_ffmpeg_cpu ());
  if (options.wants_peer ("ffmpeg-opencl"))
    append (peers, make_ffmpeg_opencl (device));
  return peers;
}

/* Frames that fill so many microseconds; few all the same where each is slow. */
int
frames_per_sample (Pipeline &pipeline, double wanted_us)
{
  pipeline.run (1); /* programs are built here */
  const double us = pipeline.run (2);
  return std::clamp (int (wanted_us / us), us < 20000 ? 4 : 2, 400);
}

Contender
pipeline_contender (const char *name, std::shared_ptr<Pipeline> pipeline)
{
  const int n = frames_per_sample (*pipeline, 50000);
  return {name, [pipeline, n] { return pipeline->run (n); }};
}

/* Our element, its kernels alone and whole pipelines on each kind of memory. */
std::vector<Contender>
our_contenders (GstClContext *context, const Device &device, const Frames &frames, Row &row)
{
  const auto open = [&] (Memory memory, bool profile) {
    return std::make_shared<Pipeline> (context, device.index, row.what, frames, memory, profile);
  };
  std::vector<Contender> contenders;
  const auto timed = open (Memory::opencl, true);
  const int burst = frames_per_sample (*timed, 2000);
  contenders.push_back ({kernel_time, [timed, burst] {
                           timed->run (burst);
                           return timed->kernel_us ();
                         }});
  const auto system = open (Memory::system, false);
  contenders.push_back (pipeline_contender (system_pipeline, system));
  contenders.push_back (pipeline_contender (proposed_pipeline, open (Memory::proposed, false)));
  contenders.push_back (pipeline_contender (opencl_pipeline, open (Memory::opencl, false)));
  row.algorithm = system->stat ("algorithm");
  row.path = system->stat ("path");
  return contenders;
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

Row
measure_case (const Case &what, GstClContext *context, const Device &device, const Frames &frames, const Peers &peers,
    const Options &options, ProgressLine &progress)
{
  Row row{what, {}, {}, {}, {}};
  std::vector<Contender> contenders;
  try {
    contenders = our_contenders (context, device, frames, row);
  } catch (const std::exception &error) {
    row.notes.push_back (std::string ("not measured: ") + error.what ());
  }
  for (const std::unique_ptr<Peer> &peer : peers) {
    if (!what.has_peers)
      continue;
    try {
      if (std::optional<Contender> contender = peer->contender (what, frames))
        contenders.push_back (std::move (*contender));
    } catch (const std::exception &error) {
      row.notes.push_back (peer->name () + " left out: " + error.what ());
    }
  }
  Outcome outcome = measure (contenders, options.effort (), progress.detail ());
  row.times = std::move (outcome.times);
  for (auto &[name, samples] : row.times)
    samples.best = options.best;
  for (const auto &[name, reason] : outcome.failures)
    row.notes.push_back (name + " failed: " + reason);
  return row;
}

void
save_frames (const Frames &frames, const std::string &path)
{
  std::ofstream file (path, std::ios::binary);
  for (const std::vector<uint8_t> &rgba : frames.pixels)
    file.write (reinterpret_cast<const char *> (rgba.data ()), std::streamsize (rgba.size ()));
  if (!file.flush ())
    throw std::runtime_error ("cannot write " + path);
}

struct ContextRelease {
  void operator() (GstClContext *context) const { gst_object_unref (context); }
};

void
measure_device (const Device &device, const Options &options, const std::vector<ForeignResult> &foreign, Report &report,
    ProgressLine &progress)
{
  GError *error = nullptr;
  const std::unique_ptr<GstClContext, ContextRelease> context (gst_cl_context_new (device.index.c_str (), &error));
  if (!context) {
    const std::string reason = error->message;
    g_clear_error (&error);
    throw std::runtime_error (device.name + ": " + reason);
  }
  const Peers peers = make_peers (options, context.get (), device);
  if (report.header.empty ())
    fill_header (report, options, peers);
  std::vector<Size> sizes = options.sizes;
  if (sizes.empty ()) {
    sizes.push_back ({1920, 1080});
    if (!device.is_cpu)
      sizes.push_back ({3840, 2160});
  }
  const std::vector<Case> cases = make_cases (options.filter);
  for (const Size &size : sizes) {
    const Frames frames = make_frames (size, options.uri);
    const Frames gray = gray_of (frames);
    if (!options.save_frames.empty ())
      save_frames (frames, options.save_frames);
    progress.step (device.name + " " + size.text () + " copy limit");
    Section section{device, size, measure_limits (context.get (), device, size, 31), {}};
    section.limits.copy_kernel.best = section.limits.copy_command.best = options.best;
    for (size_t i = 0; i < cases.size (); i++) {
      progress.step ("[" + std::to_string (i + 1) + "/" + std::to_string (cases.size ()) + "] " + device.name + " "
                     + size.text () + " " + cases[i].title);
      section.rows.push_back (measure_case (
          cases[i], context.get (), device, cases[i].gray ? gray : frames, peers, options, progress));
      if (!device.is_cpu) /* they come from a GPU */
        append_foreign (section.rows.back (), size, foreign);
    }
    if (report.sections.empty ())
      report.header.push_back ({"frames", std::to_string (n_rotated) + " in turn, " + frames.origin});
    report.sections.push_back (std::move (section));
  }
}

/* 0 where every target that was measured is reached, 1 where one is missed or an element failed, 3 where there was
 * nothing to judge. */
int
check (const Report &report)
{
  int missed = 0, reached = 0, open = 0, failed = 0;
  for (const Section &section : report.sections) {
    for (const Verdict &verdict : judge (section))
      (verdict.missed () ? missed : verdict.reached ? reached : open)++;
    for (const Row &row : section.rows)
      failed += !row.times.count (kernel_time);
  }
  std::cerr << reached << " targets reached, " << missed << " missed, " << open << " not measured, " << failed
            << " filters failed" << std::endl;
  return missed || failed ? 1 : reached ? 0 : 3;
}

int
run (const Options &options)
{
  const std::vector<Device> devices = list_devices (options.device);
  if (devices.empty ())
    throw std::runtime_error (options.device.empty () ? "no OpenCL device" : "no OpenCL device " + options.device);
  if (make_cases (options.filter).empty ())
    throw std::runtime_error ("no filter " + options.filter);
  std::vector<ForeignResult> foreign;
  if (!options.peer_results.empty ())
    foreign = read_foreign_results (options.peer_results);
  Report report;
  report.peers = {"opencv-cpu", "opencv-opencl", "ffmpeg-cpu", "ffmpeg-opencl"};
  for (const ForeignResult &result : foreign)
    if (std::find (report.peers.begin (), report.peers.end (), result.peer) == report.peers.end ())
      report.peers.push_back (result.peer);
  {
    ProgressLine progress;
    for (const Device &device : devices)
      measure_device (device, options, foreign, report, progress);
  }
  print_report (std::cout, report, options.markdown);
  if (!options.json.empty ()) {
    std::ofstream file (options.json);
    write_json (file, report);
    if (!file.flush ())
      throw std::runtime_error ("cannot write " + options.json);
  }
  return options.check ? check (report) : 0;
}

}  // namespace

int
main (int argc, char **argv)
{
  const Options options = parse_options (argc, argv);
  try {
    return run (options);
  } catch (const std::exception &error) {
    std::cerr << "gst-cl-bench: " << error.what () << std::endl;
    return 2;
  }
}
