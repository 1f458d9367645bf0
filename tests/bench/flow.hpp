/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A whole pipeline, from a piece of launch line to a sink that looks at every frame. */
#pragma once

#include "process.hpp"

#include <gst/gst.h>

namespace bench {

class Flow {
public:
  /** A pipeline that plays. Throws std::runtime_error where it does not start. */
  explicit Flow (const std::string &line, const std::string &more = "");
  ~Flow ();
  Flow (const Flow &) = delete;
  Flow &operator= (const Flow &) = delete;

  /** Microseconds a frame, over n of them behind the first `held`; over fewer where these take longer than most_us. */
  double run (int held, int n, double most_us = 1e9);

  struct Bytes {
    guint64 up = 0, down = 0;
  };
  /** What the elements of this project sent to the device and fetched from it, for each frame of the sink so far. */
  Bytes link_bytes () const;

private:
  void take ();
  /** Whether an element has failed; fail () says why. */
  bool has_error () const;
  [[noreturn]] void fail ();

  GstElement *pipeline = nullptr, *sink = nullptr;
  guint64 n_taken = 0;
};

/** Writes a table of 33 x 33 x 33 entries into the folder, and returns its path. */
std::string write_look (const TemporaryFolder &folder);

}  // namespace bench
