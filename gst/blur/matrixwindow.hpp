/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Separable windows of 8-bit samples as products of matrices of bytes: kernels/blur/matrix_window.cl. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** Symmetric integer weights of 2 * radius + 1 samples, the same down and across: of gaussians, whose sum is 2^16, or ones. */
struct MatrixWindow {
  std::vector<int> weights;
  bool gaussian = false;

  int radius () const { return int (weights.size ()) / 2; }
  int weight_bytes () const { return gaussian ? 2 : 1; }
};

/** Of the windows that the kernels are built for. */
inline constexpr int max_matrix_radius = 24;

/** Whether the device multiplies such matrices, and the window is one that they are built for. */
bool takes_matrix_window (const Runner &runner, int radius);

/** Runs it on task.region. */
void run_matrix_window (Runner &runner, const PlaneTask &task, const MatrixWindow &window);

}  // namespace gst::cl
