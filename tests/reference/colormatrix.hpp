/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string>
#include <vector>

#include "picture.hpp"

namespace ref {

struct ColorMatrix {
  std::string preset = "none";           /* none grayscale sepia invert */
  std::vector<std::vector<double>> rows; /* 3 of 4, and then in place of the preset */
  bool full = false;                     /* YUV of limited range as of full range */
  double red = 0, blue = 0;              /* their weights in luma, where caps say them */
};

Picture color_matrix (const Picture &in, const ColorMatrix &settings);

}  // namespace ref
