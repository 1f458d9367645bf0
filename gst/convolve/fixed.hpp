/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two passes of integers for the matrix units: kernels/convolve/matrix.cl. */
#pragma once

#include "convolve/forms.hpp"

#include <cstdint>

namespace gst::cl {

struct FixedPoint {
  std::vector<std::int32_t> row, column;
  int shift = 0;        /* of the column's sums, before 16 of their bits are kept */
  double divisor = 1;   /* of the row's sums */
  int result_shift = 0; /* the power of two that this is, where it is chosen to be one */
};

/** Nothing where they do not serve, or the matrix is not one product. */
std::optional<FixedPoint> fixed_point (const ConvolveSums &sums, double max);

/** The taps as the items of kernels/convolve/matrix.cl have them. */
std::vector<std::uint32_t> matrix_fragments (const FixedPoint &fixed);

}  // namespace gst::cl
