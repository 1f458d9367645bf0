/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-tune --warm: compiles programs in advance. */
#pragma once

#include <string>
#include <vector>

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
