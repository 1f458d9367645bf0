/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The search: finds, for each kernel of an element, the fastest shape that gives the same bytes. */
#pragma once

#include "report.hpp"
#include "trial.hpp"

struct SearchOptions {
  /* Seconds for each kernel; 0 for the device's default. */
  double budget = 0;
  bool store = true;
  /* Compares the bytes of all shapes, and measures nothing. */
  bool check = false;
};

/* Searches element by element, until all are done or the program is interrupted. Returns whether every element played with
 * shipped shapes. */
bool search_all (Bench &bench, const SearchOptions &options, Progress &progress, const std::vector<Subject> &subjects,
    std::vector<Finding> &findings);
