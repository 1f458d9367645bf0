/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/color.hpp"

namespace ref {

struct Lut {
  std::vector<Color> curve; /* 1D: the results for red, green and blue */
  int edge = 0;             /* entries along an edge of the cube */
  std::vector<Color> cube;  /* red changes fastest */
  double low = 0, high = 1; /* the inputs of the first and the last entries */
  bool trilinear = false;
  double strength = 1;
};

Picture lut3d (const Picture &in, const Lut &lut, const ColorSpace &space = {});

}  // namespace ref
