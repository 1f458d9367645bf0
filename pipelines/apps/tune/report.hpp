/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cl-tune does, and the reports of its progress and results, for users and programs. */
#pragma once

#include "trial.hpp"

#include <csignal>
#include <string>
#include <vector>

/* Set by a signal; the program stops after the current stream. */
inline volatile std::sig_atomic_t interrupted = 0;

/* The command line. */
struct Options {
  /* format: several, separated by commas, for --warm, and there "" for those of most streams */
  std::string device, format, size = "1920x1080", filter;
  /* seconds for each kernel; 0 for the device's default */
  double budget = 0;
  bool list = false, reset = false, dry_run = false, check = false, warm = false, quiet = false, json = false;
  /* for --warm, with or without properties, as in a launch line; empty for all elements of the plugin */
  std::vector<std::string> elements;
  int width = 0, height = 0;

  std::string format_name () const { return format.empty () ? "RGBA" : format; }
};

/* The result for one kernel. */
struct Finding {
  std::string key, element;
  gst::cl::Shape shape;
  double shipped_us = 0, best_us = 0;
  /* numbers of shapes that were tried, and that gave wrong bytes or a failed stream */
  int tried = 0, wrong = 0;
  /* the shipped shape already reaches the device's limits */
  bool at_limit = false;
  /* the result comes from an earlier run */
  bool known = false;

  double gain () const { return best_us > 0 ? shipped_us / best_us : 1; }
};

/* Shows a bar on a terminal, and a line for each kernel. */
class Progress {
public:
  explicit Progress (bool quiet);
  ~Progress () { clear (); }

  /* Shows how many elements are done. */
  void at (size_t element, size_t n_elements);
  void show (const std::string &element, const std::string &key, int tried, int n);
  void found (const Finding &finding);
  /* Prints a line, unless --quiet is set. */
  void result (const std::string &line);
  /* Prints a line on standard error. */
  void say (const std::string &line);

private:
  void clear ();

  const bool quiet, terminal;
  double done = 0, next = 0;
  bool shown = false;
};

/* A summary of a few lines. */
std::string summary_of (const std::vector<Finding> &findings, double seconds);

/* The same as JSON, with every kernel. */
std::string json_of (const gst::cl::Device &device, const std::string &format, int width, int height,
    const std::vector<Finding> &findings, double seconds);

/* The table's entries, one per line. */
std::string list_of (const gst::cl::Tuning &tuning);

/* Searches element by element, until all are done or the program is interrupted. Returns whether every element played with
 * shipped shapes. */
bool search_all (Bench &bench, const Options &options, Progress &progress, const std::vector<Subject> &subjects,
    std::vector<Finding> &findings);

/* For cl-tune --warm: plays a few frames through each element in each format, and prints how many programs were compiled. Returns whether all of
 * them played. Throws std::runtime_error if there is nothing to play. */
bool warm (const Options &options);
