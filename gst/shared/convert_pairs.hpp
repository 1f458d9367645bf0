/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables for IN_PAIRS of kernels/shared/convert_gpu.cl. */
#pragma once

#include "filter/kernelspec.hpp"

#include <optional>
#include <span>

namespace gst::cl {

/** The first source sample of each row or column of the result, and the weights of `taps` samples. */
struct Windows {
  int taps;
  std::span<const cl_int> first;
  std::span<const cl_float> weights;
};

/** A source plane of bytes. */
struct PairSource {
  /** Samples of a pixel, and pixels of a row. */
  int step, width;
  Windows columns, rows;
};

struct PairTables {
  Options options;
  /** Two entries for each pair of columns, and two for each row. */
  std::vector<cl_uint4> columns, rows;
};

/** Columns of the result for each item, and items of a group. */
inline constexpr int pair_pixels = 4;
inline constexpr std::array<size_t, 2> pair_group{64, 2};
/** The sum of the weights of a window's row, and the bias of the sums. */
inline constexpr int pair_whole_weight = 1 << 15, pair_bias = 1 << 23;

/** Returns nothing if windows are too large for that kernel, or weights are negative. */
std::optional<PairTables> make_pair_tables (std::span<const PairSource> sources);

}  // namespace gst::cl
