/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <vector>

#include "color.hpp"

namespace ref {

struct Lut {
  std::vector<Color> curve; /* 1D: what red, green and blue become */
  int edge = 0;             /* of the cube */
  std::vector<Color> cube;  /* red changes first */
  double low = 0, high = 1; /* the inputs that the first and the last entries stand for */
  bool trilinear = false;
  double strength = 1;
};

Picture lut3d (const Picture &in, const Lut &lut, const ColorSpace &space = {});

}  // namespace ref
