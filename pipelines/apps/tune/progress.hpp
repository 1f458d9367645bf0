/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a person sees while the search runs: a bar on a terminal, and a line for each kernel. */
#pragma once

#include <string>

struct Finding;

class Progress {
public:
  explicit Progress (bool quiet);
  ~Progress ();

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

/* A kernel's key without what every key of the run has: "shared/lut.cl map_samples". */
std::string short_name (const std::string &key);
