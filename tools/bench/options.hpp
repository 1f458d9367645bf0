/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../pipelines/apps/common/json.hpp"
#include "bench.hpp"

#include <algorithm>
#include <filesystem>
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
  std::filesystem::path peer_results, save_frames, npp;
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

}  // namespace bench
