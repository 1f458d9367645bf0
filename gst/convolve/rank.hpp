/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices as sums of products column x row. */
#pragma once

#include "shared/convolve_matrix.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gst::cl {

template <typename T> struct ConvolveFactor {
  std::vector<T> row;    /* width taps */
  std::vector<T> column; /* height taps */
};

/* The integer matrix as one exact integer product, or nothing. */
std::optional<ConvolveFactor<int64_t>> convolve_integer_factor (int width, int height, const std::vector<int64_t> &taps);

/* The fewest products, at most `limit`, whose sum differs from the matrix by at most `tolerance`, summed over all
 * taps; empty if more would be needed. Largest first. */
std::vector<ConvolveFactor<double>> convolve_low_rank_factors (const ConvolveMatrix &matrix, int limit, double tolerance);

}  // namespace gst::cl
