/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Convolutions with sums of floats, from buffer to buffer on the gpu back end: convolve/march.cl, convolve/tile.cl and,
 * for a class of the latter's, convolve/matrix.cl. */
#pragma once

#include "convolve/plan.hpp"

namespace gst::cl {

struct ConvolveWindow {
  int width = 0;
  int height = 0;
  double divisor = 1; /* of the sum of taps times samples */
  bool absolute = false;
};

/* A -D value more. */
void convolve_define (ConvolvePlan &plan, const char *name, int value);

/* Completes a plan that has its algorithm, sum, taps and the arguments of shared/quotient.clh; false, and no change, where
 * these kernels do not serve it. */
bool convolve_shape_floats (ConvolvePlan &plan, const ConvolveWindow &window, const ConvolveTarget &target);

}  // namespace gst::cl
