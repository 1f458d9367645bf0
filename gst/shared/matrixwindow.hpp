/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Separable windows of 8-bit samples as products of matrices of bytes: kernels/shared/matrix_window.cl. */
#pragma once

#include "filter/runner.hpp"

#include <optional>

namespace gst::cl {

/** Weights of 2 * radius + 1 samples down and across: multiples of 2^-16, whose sums are at most 1, or ones, for a mean. */
struct MatrixWindow {
  std::vector<int> column, row;
  bool mean = false;

  int radius () const { return int (row.size ()) / 2; }
  int weight_bytes () const { return mean ? 1 : 2; }
};

/** Weights of an odd number of samples, none of them negative, as multiples of 2^-16; nothing if one does not fit. What is rounded is
 *  the sum of all that are farther out, so that an edge is right to 2^-17 of its height. */
std::optional<std::vector<int>> matrix_weights (const std::vector<double> &weights);

/** Of the windows that the kernels are built for. */
inline constexpr int max_matrix_radius = 24;

/** Whether the device multiplies such matrices, and the window is one that they are built for. */
bool takes_matrix_window (const Runner &runner, int radius);

/** Runs it on task.region. */
void run_matrix_window (Runner &runner, const PlaneTask &task, const MatrixWindow &window);

}  // namespace gst::cl
