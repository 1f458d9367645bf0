/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the search found out, for people and programs to read: while it runs, and at its end. */
#pragma once

#include "filter/tuning.hpp"

#include <csignal>
#include <string>
#include <vector>

/* Set by a signal: the program stops after the stream at hand. */
inline volatile std::sig_atomic_t interrupted = 0;

/* About one kernel. */
struct Finding {
  std::string key, element;
  gst::cl::Shape shape;
  double shipped_us = 0, best_us = 0;
  /* shapes that were tried, and those whose bytes or whose stream were wrong */
  int tried = 0, wrong = 0;
  /* nothing to gain: at the device's limits as it is shipped */
  bool at_limit = false;
  /* an earlier run has found it */
  bool known = false;

  double gain () const { return best_us > 0 ? shipped_us / best_us : 1; }
};

/* A bar on a terminal, and a line for each kernel. */
class Progress {
public:
  explicit Progress (bool quiet);
  ~Progress () { clear (); }

  /* Part of all elements that is done. */
  void at (size_t element, size_t n_elements);
  void show (const std::string &element, const std::string &key, int tried, int n);
  void found (const Finding &finding);
  /* A line that --quiet leaves out. */
  void result (const std::string &line);
  /* A line on standard error. */
  void say (const std::string &line);

private:
  void clear ();

  const bool quiet, terminal;
  double done = 0, next = 0;
  bool shown = false;
};

/* What was found, in a few lines. */
std::string summary_of (const std::vector<Finding> &findings, double seconds);

/* The same with every kernel. */
std::string json_of (const gst::cl::Device &device, const std::string &format, int width, int height,
    const std::vector<Finding> &findings, double seconds);

/* The table's entries, one a line. */
std::string list_of (const gst::cl::Tuning &tuning);
