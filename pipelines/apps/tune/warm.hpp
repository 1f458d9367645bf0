/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-tune --warm: has programs compiled before somebody waits for them. */
#pragma once

#include <string>
#include <vector>

struct WarmOptions {
  std::string device;
  /* Elements, with properties or without, as a launch line has them; none: those of the plugin. */
  std::vector<std::string> elements;
  /* None: those that most streams have. */
  std::vector<std::string> formats;
  int width, height;
  bool quiet;
};

/* Plays a few frames through each element in each format, and prints how many programs that took. Returns whether all of
 * them played. Throws std::runtime_error where there is nothing to play. */
bool warm (const WarmOptions &options);
