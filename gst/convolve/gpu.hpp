/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Convolutions on the gpu back end: convolve/march.cl, convolve/tile.cl and, for a class of the latter's,
 * convolve/matrix.cl. */
#pragma once

#include "convolve/plan.hpp"

namespace gst::cl {

enum class ConvolveAlgorithm { direct, separable, low_rank };

enum class ConvolveSum { float32, int32, int64 };

/* A kernel under construction: the program's sources and options depend on sizes, algorithm and type, never on values. */
struct ConvolvePlan {
  ConvolveAlgorithm algorithm = ConvolveAlgorithm::direct;
  ConvolveSum sum = ConvolveSum::float32;
  bool exact = true; /* the bytes are the formula's, rounded; otherwise within 1 */
  int rank = 0;      /* products of the separable kernel */
  KernelSpec spec = {.sources = {}, .function = ""};
  /* The first argument: a table, or these bytes themselves. */
  std::vector<unsigned char> taps = {};
  bool taps_by_value = false;
  /* Behind the taps: divisor, inverse, offset, absolute of shared/quotient.clh or those of convolve/convolve.clh:
   * column_factor, column_half and result_shift where there are two passes, then offset, inverse, under. */
  Arguments arguments = {};
};

struct ConvolveWindow {
  int width = 0;
  int height = 0;
  double divisor = 1; /* of the sum of taps times samples */
  bool absolute = false;
};

/* These complete a plan that has its algorithm, sum, taps and the arguments of shared/quotient.clh. */

/* Of a separable matrix, with any sums, from and to buffers or images. */
void convolve_shape_quotients (ConvolvePlan &plan, const ConvolveWindow &window, const ConvolveTarget &target);

/* With sums of floats, from buffer to buffer. Returns false and changes nothing if no kernel does that. */
bool convolve_shape_floats (ConvolvePlan &plan, const ConvolveWindow &window, const ConvolveTarget &target);

}  // namespace gst::cl
