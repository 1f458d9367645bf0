/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The search: for each kernel that an element launches, the shape that is fastest among those that give the same bytes. */
#pragma once

#include "finding.hpp"
#include "interrupted.hpp"
#include "progress.hpp"
#include "trial.hpp"

#include <set>

struct SearchOptions {
  /* Seconds for one kernel; 0 for the device's default. */
  double budget = 0;
  bool store = true;
  /* Compare bytes of everything, measure nothing. */
  bool check = false;
};

class Search {
public:
  Search (Bench &bench, const SearchOptions &options, Progress &progress);

  /* One element. Throws std::runtime_error where it does not play even as shipped. */
  void run (const Subject &subject);

  const std::vector<Finding> &findings () const { return all; }

private:
  struct Kernel;

  void tune (Kernel &kernel);
  void check (Kernel &kernel);
  bool search_once (const Subject &subject);
  void consider (Kernel &kernel, const gst::cl::Shape &shape);
  bool is_right (Kernel &kernel, const gst::cl::Shape &shape);
  void refuse (Kernel &kernel, const gst::cl::Shape &shape, const std::string &why);
  double measure (Kernel &kernel, const gst::cl::Shape &shape);
  double compare (Kernel &kernel, const gst::cl::Shape &shape);
  void keep (Kernel &kernel);

  Bench &bench;
  const SearchOptions options;
  /* see Bench::least_us() */
  const double least_us;
  Progress &progress;
  std::set<std::string> done;
  std::vector<Finding> all;
};
