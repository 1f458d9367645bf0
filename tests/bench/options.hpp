/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "bench.hpp"

namespace bench {

/** What gst-cl-bench does: the first word of its arguments. */
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
  std::string device, filter, json, peer_results, save_frames, uri, npp;
  std::vector<Size> sizes;
  std::vector<std::string> peers, parts;
  int runs = 15;
  bool quick = false, best = false, markdown = false, all_peers = true;
  /** Behind `stream`: what to do, an element and its properties; behind `latency`: launch lines. */
  std::vector<std::string> words;

  Effort effort () const;
  bool wants_peer (const std::string &name) const;
  /** Whether a part of `growth` or `sources` is wanted. */
  bool wants_part (const std::string &name) const;
};

/** Parses the command line, GStreamer's options too, and starts GStreamer. Exits on --help and on errors. */
Options parse_options (int argc, char **argv);

}  // namespace bench
