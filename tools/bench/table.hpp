/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line, all contenders, and the table of their times. */
#pragma once

#include "../../pipelines/apps/common/json.hpp"
#include "bench.hpp"
#include "peer.hpp"
#include "pipeline.hpp"
#include "result.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

namespace bench {

/** The first argument of cl-bench. */
enum class Verb {
  table,
  check,
  sources,
  growth,
  latency,
  /** One stream in its own process; internal, for `growth` and `check`. */
  stream,
};

struct Options {
  Verb verb = Verb::table;
  std::string device, filter, uri;
  std::filesystem::path peer_results, save_frames, npp, ipp;
  std::vector<Size> sizes;
  std::vector<std::string> peers, parts;
  int runs = 15;
  bool quick = false, best = false, markdown = false, all_peers = true;
  /** The JSON output, which reserves standard output; null without --json. */
  std::shared_ptr<const JsonOutput> json;
  /** Arguments of `stream`: a task, an element and its properties; of `latency`: launch lines. */
  std::vector<std::string> words;

  Effort effort () const;
  bool wants_peer (const std::string &name) const { return all_peers || std::ranges::find (peers, name) != peers.end (); }
  /** Whether a part of `growth` or `sources` was requested. */
  bool wants_part (const std::string &name) const { return parts.empty () || std::ranges::find (parts, name) != parts.end (); }
};

/** Parses the command line, including GStreamer's options, and initialises GStreamer. Returns false if that was all;
 *  throws like parse_command_line (). */
bool parse_options (Options &options, int argc, char **argv);

/** A line on stderr that is updated in place; complete lines if stderr is not a terminal. */
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

using ContextPointer = Ref<GstClContext>;

/** Throws std::runtime_error. */
ContextPointer open_context (const Device &device);
/** The requested devices, at least one. Throws std::runtime_error. */
std::vector<Device> wanted_devices (const Options &options);

/** How many frames take this many µs; few if each is slow. */
int frames_per_sample (Pipeline &pipeline, double wanted_us);
/** Only the element's kernels, from OpenCL memory to OpenCL memory. */
Contender kernel_contender (GstClContext *context, const Device &device, const Case &what, const Frames &frames);
/** Whole frames. */
Contender pipeline_contender (const char *name, std::shared_ptr<Pipeline> pipeline);

Header make_header (const Options &options);

/** Measures the table of `./run bench`. In `check` it has rows with targets, and a row that misses one is measured again. */
Report measure_table (const Options &options, ProgressLine &progress);

/** Returns 0, or 1 if a target is missed. */
int run_check (const Options &options);
int run_growth (const Options &options);
int run_sources (const Options &options);
/** Pushes single frames through the launch lines of options.words, or the default ones. */
int run_latency (const Options &options);
/** Runs in its own process. */
int run_stream (const Options &options);

}  // namespace bench
