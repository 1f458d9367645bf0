/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Separable windows of 8-bit samples as products of matrices of bytes: kernels/blur/matrix_window.clh. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** A kernel that is built on it, and symmetric integer weights of 2 * radius + 1 samples, the same down and across. */
struct MatrixWindow {
  std::string function;
  std::vector<int> weights;
  /** Bytes of a weight, and the byte of a 32-bit number in which the kernel has its results. */
  int weight_bytes, result_byte;

  int radius () const { return int (weights.size ()) / 2; }
};

/** Whether the device multiplies such matrices, and the window is one that they are built for. */
bool takes_matrix_window (const Runner &runner, int radius);

/** The kernel, and how to launch it. */
struct MatrixLaunch {
  KernelSpec spec;
  std::array<size_t, 2> global, local;
  /** Rows of a sub-group. */
  cl_int band;
};

MatrixLaunch plan_matrix_window (const Runner &runner, const PlaneTask &task, const MatrixWindow &window);

/** The weights as the kernel's items have them. */
std::vector<cl_uint> matrix_fragments (const MatrixWindow &window);

/** Runner::ready() for it. */
bool matrices_ready (Runner &runner, const PlaneTask &task, const MatrixWindow &window);

/** Runs it on task.region, with the kernel's own arguments behind those of every such window. */
template <typename... Arguments>
void
run_matrix_window (Runner &runner, const PlaneTask &task, const MatrixWindow &window, const Arguments &...arguments)
{
  const MatrixLaunch launch = plan_matrix_window (runner, task, window);
  const Patch part = Runner::part (task, task.region);
  const cl_int4 region{{part.x, part.y, part.width, part.height}};
  const ::cl::Buffer &table = runner.table (window.function, matrix_fragments (window));
  runner.launch_range (launch.spec, task, launch.global, launch.local, part.src, part.src_offset, part.src_stride, part.dst,
      part.dst_offset, part.dst_stride, runner.keep_mask (task), region, Runner::plane_argument (task), table, launch.band,
      arguments...);
}

}  // namespace gst::cl
