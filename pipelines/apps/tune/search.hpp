/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The search: for each kernel that an element launches, the shape that is fastest among those that give the same bytes. */
#pragma once

#include "report.hpp"
#include "trial.hpp"

struct SearchOptions {
  /* Seconds for one kernel; 0 for the device's default. */
  double budget = 0;
  bool store = true;
  /* Compare bytes of everything, measure nothing. */
  bool check = false;
};

/* Searches with one element after the other, until all are done or the program is interrupted. Returns whether every element
 * played as it is shipped. */
bool search_all (Bench &bench, const SearchOptions &options, Progress &progress, const std::vector<Subject> &subjects,
    std::vector<Finding> &findings);
