/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters by differences or sums across and down windows of 3x3 samples: kernels/shared/gradient.cl. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** What has a gradient in kernels/shared/gradient.cl: samples whose results are floats, samples whose results are exact, or
 *  pixels. */
enum class GradientBody { samples, sample_strips, pixels };

/** gx is the right sample and `sign` times the left one of each row, times side, middle, side; gy is its transpose. */
struct GradientWeights {
  int side, middle, sign = -1;
};

/** The formula, an option of the kernel, and what it is of. */
struct GradientKernel {
  const char *formula;
  GradientWeights weights;
  GradientBody body;
};

/** Enqueues the filter of task.region. settings: the structure that the formula takes. */
void filter_gradients (Runner &runner, const PlaneTask &task, const GradientKernel &kernel, const ValueArgument &settings);

}  // namespace gst::cl
