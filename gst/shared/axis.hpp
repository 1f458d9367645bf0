/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The samples of a row that contribute to each sample of a longer or shorter row. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gst::cl {

enum class Resampling { nearest, bilinear, bicubic, lanczos, area };

/** Sample i of the result is the sum of `taps` samples, starting at first[i], times weights[i * taps ...]. All these samples
 *  exist, and the sum of the weights is 1. */
struct Axis {
  int taps;
  std::vector<int> first;
  std::vector<float> weights;

  size_t size () const { return first.size (); }
};

/** Positions of the samples of the result, in integers: sample i is at (origin + i * step) / unit, if sample k of the source is
 *  at k. */
struct Places {
  std::int64_t origin, step, unit;
};

/** Weights for n samples from `source` samples. If samples of the result are more than 1 apart, the window is wider by that
 *  factor. Beyond the ends, the samples at the ends are repeated. */
Axis make_axis (int source, int n, const Places &places, Resampling how);

}  // namespace gst::cl
