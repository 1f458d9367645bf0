/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/border.hpp"

namespace ref {

struct Morphology {
  std::string operation = "open"; /* open close gradient tophat blackhat erode dilate */
  int radius = 1;
  int radius_y = -1;                     /* -1: as radius */
  std::string shape = "rect";            /* rect cross ellipse */
  std::vector<std::vector<int>> element; /* rows of 0 and 1; empty: the shape */
  int iterations = 1;
};

Picture morphology (const Picture &in, const Morphology &settings, const Border &border);

}  // namespace ref
