/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Separable windows of 8-bit samples as products of matrices of bytes: kernels/shared/matrix_window.cl. */
#pragma once

#include "filter/runner.hpp"

#include <optional>

namespace gst::cl {

/** Weights of 2 * radius + 1 samples in each direction: multiples of 2^-16 with a sum of at most 1, or all ones, for a mean. */
struct MatrixWindow {
  std::vector<int> column, row;
  bool mean = false;

  int radius () const { return int (row.size ()) / 2; }
  int weight_bytes () const { return mean ? 1 : 2; }
};

/** Converts an odd number of weights, none of which is negative, to multiples of 2^-16; returns nothing if one does not fit.
 *  Cumulative sums from the ends are rounded, and not single weights, so that an edge is correct to 2^-17 of its height. */
std::optional<std::vector<int>> matrix_weights (const std::vector<double> &weights);

/** The largest radius of the kernels. */
inline constexpr int max_matrix_radius = 24;

/** Whether the device multiplies such matrices, and the kernels support this radius. */
bool takes_matrix_window (const Runner &runner, int radius);

Launch matrix_launch (const Runner &runner, const PlaneTask &task, const MatrixWindow &window);

}  // namespace gst::cl
