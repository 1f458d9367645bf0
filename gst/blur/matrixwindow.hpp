/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Separable windows of 8-bit samples as products of matrices of bytes: kernels/blur/matrix_window.clh. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** A kernel that is built on it, and symmetric integer weights of 2 * radius + 1 samples, the same down and across. */
struct MatrixWindow {
  const char *source, *function;
  std::vector<int> weights;
  /** Bytes of a weight, and the byte of a 32-bit number in which the kernel has its results. */
  int weight_bytes, result_byte;

  int radius () const { return int (weights.size ()) / 2; }
};

/** Of the windows that the kernels are built for. */
inline constexpr int max_matrix_radius = 24;

/** Whether the device multiplies such matrices, and the window is one that they are built for. */
bool takes_matrix_window (const Runner &runner, int radius);

/** Runs it on task.region, with the kernel's own arguments behind those of every such window. False if its program
 * is not ready yet. */
bool run_matrix_window (Runner &runner, const PlaneTask &task, const MatrixWindow &window, const Arguments &own = {});

}  // namespace gst::cl
