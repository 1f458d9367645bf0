/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "bench.hpp"

namespace bench {

struct Options {
  std::string device, filter, json, peer_results, save_frames, uri;
  std::vector<Size> sizes;
  std::vector<std::string> peers;
  int runs = 15;
  bool quick = false, best = false, check = false, markdown = false, all_peers = true;

  Effort effort () const;
  bool wants_peer (const std::string &name) const;
};

/** Parses the command line, GStreamer's options too, and starts GStreamer. Exits on --help and on errors. */
Options parse_options (int argc, char **argv);

}  // namespace bench
