/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which samples of a row contribute to each sample of a longer or shorter one. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gst::cl {

enum class Resampling { nearest, bilinear, bicubic, lanczos, area };

/** Sample i of the result is the sum of `taps` samples from first[i] on, times weights[i * taps ...]. All of them exist, and the
 *  weights' sum is 1. */
struct Axis {
  int taps;
  std::vector<int> first;
  std::vector<float> weights;

  size_t size () const { return first.size (); }
};

/** Where samples of the result stand, in whole numbers: sample i at (origin + i * step) / unit, where sample k of the source stands
 *  at k. */
struct Places {
  std::int64_t origin, step, unit;
};

/** n samples from `source` ones. Where samples stand more than 1 apart, what is weighed is that much wider. Beyond the ends stand
 *  the samples at the ends. */
Axis make_axis (int source, int n, const Places &places, Resampling how);

}  // namespace gst::cl
