/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/picture.hpp"

namespace ref {

struct ColorMatrix {
  std::string preset = "none";           /* none grayscale sepia invert */
  std::vector<std::vector<double>> rows; /* 3 rows of 4, which replace the preset */
  bool full = false;                     /* treats YUV of limited range as full range */
  double red = 0, blue = 0;              /* their weights in luma, if the caps name them */
};

Picture color_matrix (const Picture &in, const ColorMatrix &settings);

}  // namespace ref
