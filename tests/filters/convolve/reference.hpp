/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/border.hpp"

namespace ref {

using Matrix = std::vector<std::vector<double>>;

struct Convolve {
  Matrix matrix;
  double divisor = 0; /* 0: the sum of the taps, or 1 if that is 0 */
  double bias = 0;    /* of full scale */
  bool absolute = false;
  bool flip = false;
};

/* The matrices of the `preset` property. */
Matrix preset (const std::string &name);

Picture convolve (const Picture &in, const Convolve &settings, const Border &border);

}  // namespace ref
