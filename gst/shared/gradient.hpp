/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters by differences or sums across and down 3x3 windows: kernels/shared/gradient.cl. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** The operands of gradients: samples with float results, samples with exact results, or pixels. */
enum class GradientBody { samples, sample_strips, pixels };

/** gx is, for each row, the right sample plus `sign` times the left one, weighted by side, middle, side; gy is its
 *  transpose. */
struct GradientWeights {
  int side, middle, sign = -1;
};

/** The formula, which is an option of the kernel, and its operands. */
struct GradientKernel {
  const char *formula;
  GradientWeights weights;
  GradientBody body;
};

/** settings: the structure that the formula takes. */
Launch gradient_launch (
    const Runner &runner, const PlaneTask &task, const GradientKernel &kernel, const ValueArgument &settings);

}  // namespace gst::cl
