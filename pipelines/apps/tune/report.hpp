/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cl-tune does, and the reports of its progress and results, for users and programs. */
#pragma once

#include "trial.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>

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
  explicit Progress (bool quiet) : quiet (quiet), terminal (isatty (STDERR_FILENO)) {}
  ~Progress () { clear (); }

  /* Shows how many elements are done. */
  void at (size_t element, size_t n_elements)
  {
    done = double (element) / n_elements;
    next = double (element + 1) / n_elements;
  }

  void show (const std::string &element, const std::string &key, int tried, int n)
  {
    if (quiet || !terminal)
      return;
    constexpr int bar_length = 24;
    const double part = done + (next - done) * std::min (1.0, n ? double (tried) / n : 0);
    const int full = int (part * bar_length);
    std::string line = "[" + std::string (full, '#') + std::string (bar_length - full, '.')
                       + printed ("] %d%% %s: %s %d/%d", int (part * 100), element.substr (0, element.find (' ')).c_str (),
                           short_name (key).c_str (), tried, n);
    line.resize (line_length, ' ');
    std::fprintf (stderr, "\r%s", line.c_str ());
    std::fflush (stderr);
    shown = true;
  }

  void found (const Finding &finding)
  {
    result (printed ("%5.2fx %9.1f us  %-42s %s  (%s)", finding.gain (), finding.best_us, short_name (finding.key).c_str (),
        finding.shape.describe ().c_str (), finding.element.c_str ()));
  }

  /* Prints a line, unless --quiet is set. */
  void result (const std::string &line)
  {
    clear ();
    if (!quiet)
      std::fprintf (stderr, "%s\n", line.c_str ());
  }

  /* Prints a line on standard error. */
  void say (const std::string &line)
  {
    clear ();
    std::fprintf (stderr, "cl-tune: %s\n", line.c_str ());
  }

private:
  static constexpr int line_length = 100;

  /* A kernel's key without the part that all keys of a run share: "shared/lut.cl map_samples". */
  static std::string short_name (const std::string &key)
  {
    const size_t first = key.find (' ');
    return first == std::string::npos ? key : key.substr (0, key.find (' ', first + 1));
  }

  void clear ()
  {
    if (shown)
      std::fprintf (stderr, "\r%*s\r", line_length, "");
    shown = false;
  }

  const bool quiet, terminal;
  double done = 0, next = 0;
  bool shown = false;
};

/* Searches element by element, until all are done or the program is interrupted. Returns whether every element played with
 * shipped shapes. */
bool search_all (Bench &bench, const Options &options, Progress &progress, const std::vector<Subject> &subjects,
    std::vector<Finding> &findings);

/* Makes the folder. Returns why nothing can be kept in it, or "". */
std::string folder_problem (const std::string &folder);

/* For cl-tune --warm: plays a few frames through each element in each format, and prints how many programs were compiled. Returns whether all of
 * them played. Throws std::runtime_error if there is nothing to play. */
bool warm (const Options &options);
