/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A complete pipeline, from a piece of launch line to a sink that reads every frame. */
#pragma once

#include "pads.hpp"
#include "process.hpp"

namespace bench {

class Flow {
public:
  /** Starts the pipeline. Throws std::runtime_error if it does not start. */
  explicit Flow (const std::string &line, const std::string &more = "");

  /** Microseconds per frame, over n frames after the first `held`; over fewer if they take longer than most_us. */
  double run (int held, int n, double most_us = 1e9);

  struct Bytes {
    guint64 up = 0, down = 0;
  };
  /** How many bytes per frame the elements of this project have sent to the device and read from it. */
  Bytes link_bytes () const;

private:
  void take ();

  const Running pipeline;
  const Ref<GstElement> sink;
  guint64 n_taken = 0;
};

/** Writes a table of 33 x 33 x 33 entries into the folder, and returns its path. */
std::string write_look (const TemporaryFolder &folder);

}  // namespace bench
