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

/* For cl-tune --warm, which compiles programs in advance. */
struct WarmOptions {
  std::string device;
  /* Elements, with or without properties, as in a launch line; empty for all elements of the plugin. */
  std::vector<std::string> elements;
  /* Empty for the formats of most streams. */
  std::vector<std::string> formats;
  int width, height;
  bool quiet;
};

/* Plays a few frames through each element in each format, and prints how many programs were compiled. Returns whether all of
 * them played. Throws std::runtime_error if there is nothing to play. */
bool warm (const WarmOptions &options);
