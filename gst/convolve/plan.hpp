/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sums of a matrix, and the kernels that compute them. */
#pragma once

#include "filter/kernelspec.hpp"
#include "shared/convolve_matrix.hpp"
#include "shared/separable.hpp"

#include <cmath>
#include <numeric>

namespace gst::cl {

struct ConvolveTarget {
  bool gpu = false;
  int depth = 8;      /* depth of a sample in bits */
  int components = 1; /* samples interleaved per pixel */
  int sample_bytes = 1;
  bool chroma = false;          /* samples are numbers around the neutral one, which does not change */
  bool image = false;           /* source, result or both are images */
  bool matrix_units = false;    /* products of matrices of bytes */
  bool quick_denormals = false; /* multiply-adds take denormal floats at full speed */

  auto operator<=> (const ConvolveTarget &) const = default;
};

template <typename T>
double
sum_of_magnitudes (const std::vector<T> &v)
{
  return std::accumulate (v.begin (), v.end (), 0.0, [] (double sum, T t) { return sum + std::abs (double (t)); });
}

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
