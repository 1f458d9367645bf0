/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of clconvolve, as data. */
#pragma once

#include "convolve/plan.hpp"

namespace gst::cl {

/** The sums of a matrix, and their type. Taps and divisor depend on the type; no program depends on their values. */
struct ConvolveSums {
  int width = 0, height = 0;
  SumType type = SumType::float32;
  bool exact = true;                     /* the bytes equal the formula's, rounded; otherwise within 1 */
  std::vector<double> taps = {};         /* row by row; empty if there are products */
  std::vector<TapProduct> products = {}; /* products whose sum is the matrix */
  double divisor = 1, offset = 0;        /* the divisor and the offset of shared/quotient.clh */
  bool absolute = false;
};

/** The window for sums with products. */
SeparableWindow convolve_window (const ConvolveSums &sums, const ConvolveTarget &target);

/** For sums without products: the best form that can compute them. */
Algorithm convolve_algorithm (const ConvolveSums &sums, const ConvolveTarget &target);

}  // namespace gst::cl
