/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What IN_PAIRS of kernels/shared/convert_gpu.cl needs. */
#pragma once

#include "filter/kernelspec.hpp"

#include <optional>
#include <span>

namespace gst::cl {

/** From which sample on each row or column of the result is made, and what each of `taps` samples counts. */
struct Windows {
  int taps;
  std::span<const cl_int> first;
  std::span<const cl_float> weights;
};

/** A plane of bytes that is read. */
struct PairSource {
  /** Samples of a pixel; pixels of a row. */
  int step, width;
  Windows columns, rows;
};

struct PairTables {
  Options options;
  /** Two for each pair of columns, and for each row. */
  std::vector<cl_uint4> columns, rows;
};

/** Columns of the result that an item makes, and items of a group. */
inline constexpr int pair_pixels = 4;
inline constexpr std::array<size_t, 2> pair_group{64, 2};
/** What all weights of a row of a window sum up to there, and the bias of the sums. */
inline constexpr int pair_whole_weight = 1 << 15, pair_bias = 1 << 23;

/** Nothing where windows are too large for that kernel, or weights negative. */
std::optional<PairTables> make_pair_tables (std::span<const PairSource> sources);

}  // namespace gst::cl
