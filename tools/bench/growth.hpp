/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How times grow: curves, with their limits. */
#pragma once

#include "table.hpp"

namespace bench {

struct Line {
  std::string name;
  /** Samples for each x of the plot. */
  std::vector<std::pair<double, Samples>> points;
  /** Whether the line is a limit, and not our own measurement. */
  bool is_limit = false;
};

struct Plot {
  std::string part, device, title, x_axis, y_axis;
  /** Whether an axis is logarithmic, because its values differ by orders of magnitude. */
  bool log_x = false, log_y = false;
  std::vector<Line> lines = {};
  std::vector<std::string> notes = {};
  /** The meaning of x = 1, 2, ..., if x is not a number. */
  std::vector<std::string> labels = {};

  const Line *find (const std::string &line) const;
  Samples &at (const std::string &line, double x, bool is_limit = false);
  /** At the newest label. */
  Samples &at_label (const std::string &line, bool is_limit = false) { return at (line, double (labels.size ()), is_limit); }
  /** Notes the reasons of an outcome's failures. */
  void note (const std::string &title, const Outcome &outcome);
};

/** Converts every sample. */
template <typename Convert>
Samples
converted (Samples samples, Convert convert)
{
  for (double &us : samples.us)
    us = convert (us);
  return samples;
}

/** Frames per second. */
inline Samples
rates (const Samples &times)
{
  return converted (times, [] (double us) { return 1e6 / us; });
}

/** The results of `growth`, and of the second half of `check`. */
struct Growth {
  const Options &options;
  const Device &device;
  GstClContext *context;
  ProgressLine &progress;
  std::vector<Plot> plots = {};
  std::vector<Verdict> verdicts = {};

  bool brief () const { return options.verb == Verb::check; }
  Size size () const { return device.is_cpu ? Size{1920, 1080} : Size{3840, 2160}; }
  Effort effort () const { return brief () ? Effort{9, 1, 3} : options.effort (); }
  void step (const std::string &text) { progress.step (device.name + " " + text); }
  /* Measures the contenders in turn, as a step with this title. */
  Outcome measure (const std::string &title, const std::vector<Contender> &contenders, const Effort &effort)
  {
    step (title);
    return bench::measure (contenders, effort, progress.detail ());
  }
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

/** Measures all requested parts. */
void grow (Growth &growth);

}  // namespace bench
