/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How times grow: curves, with the limits that they cannot pass. */
#pragma once

#include "table.hpp"

namespace bench {

struct Line {
  std::string name;
  /** Over the plot's x. */
  std::vector<std::pair<double, Samples>> points;
  /** A bound, and no measurement of ours. */
  bool is_limit = false;
};

struct Plot {
  std::string part, device, title, x_axis, y_axis;
  /** Lengths differ by so much that only their logarithms fit. */
  bool log_x = false, log_y = false;
  std::vector<Line> lines;
  std::vector<std::string> notes = {};
  /** What x = 1, 2, ... stand for, where they are no numbers. */
  std::vector<std::string> labels = {};

  Samples &at (const std::string &line, double x, bool is_limit = false);
};

/** What `growth` and the other half of `check` are made of. */
struct Growth {
  const Options &options;
  const Device &device;
  GstClContext *context;
  ProgressLine &progress;
  std::vector<Plot> plots;
  std::vector<Verdict> verdicts;

  bool brief () const { return options.verb == Verb::check; }
  Size size () const { return device.is_cpu ? Size{1920, 1080} : Size{3840, 2160}; }
  Effort effort () const { return brief () ? Effort{9, 1, 3} : options.effort (); }
};

void grow_pixels (Growth &growth);
void grow_windows (Growth &growth);
void grow_chain (Growth &growth);
void grow_pipelines (Growth &growth);
void time_starts (Growth &growth);
void time_changes (Growth &growth);
void compare_formats (Growth &growth);
void compare_conversions (Growth &growth);
void compare_whole_pipelines (Growth &growth);

/** All parts that the options ask for. */
void grow (Growth &growth);

}  // namespace bench
