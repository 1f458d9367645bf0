/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../equalize/reference.hpp"

namespace ref {

struct Levels {
  double black = 0, white = 1, gamma = 1;
  bool full = false; /* 0 and max are black and white, whatever the range */
};

Picture levels (const Picture &in, const Levels &settings);

/* Black and white points for auto: percentiles of the intensity in a rectangle, in sample units. */
struct Points {
  int black, white;
};
Points percentiles (const Picture &in, double clip, const Rectangle &region);

}  // namespace ref
