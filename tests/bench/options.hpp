/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../pipelines/apps/common/json.hpp"
#include "bench.hpp"

#include <memory>
#include <optional>

namespace bench {

/** What cl-bench does: the first word of its arguments. */
enum class Verb {
  table,
  check,
  sources,
  growth,
  latency,
  /** One stream in a process of its own, for `growth` and `check`; not for people. */
  stream,
};

struct Options {
  Verb verb = Verb::table;
  std::string device, filter, peer_results, save_frames, uri, npp;
  std::vector<Size> sizes;
  std::vector<std::string> peers, parts;
  int runs = 15;
  bool quick = false, best = false, markdown = false, all_peers = true;
  /** Where the results go as JSON, which keeps standard output for itself; else null. */
  std::shared_ptr<const JsonOutput> json;
  /** Behind `stream`: what to do, an element and its properties; behind `latency`: launch lines. */
  std::vector<std::string> words;

  Effort effort () const;
  bool wants_peer (const std::string &name) const;
  /** Whether a part of `growth` or `sources` is wanted. */
  bool wants_part (const std::string &name) const;
};

/** Parses the command line, GStreamer's options too, and starts GStreamer. Returns the status to exit with where there is
 *  nothing more to do. */
std::optional<int> parse_options (Options &options, int argc, char **argv);

}  // namespace bench
