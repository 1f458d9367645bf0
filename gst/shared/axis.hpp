/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which samples of a row contribute to each sample of a longer or shorter one. */
#pragma once

#include <cstddef>
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

/** n samples from `source` ones: sample i stands at origin + i * step, where sample k of the source stands at k. Where step exceeds
 *  1, what is weighed is that much wider. Beyond the ends stand the samples at the ends. */
Axis make_axis (int source, int n, double origin, double step, Resampling how);

}  // namespace gst::cl
