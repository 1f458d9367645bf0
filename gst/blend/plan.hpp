/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns weights and a mode into the arguments of shared/quotient.clh. Independent of GStreamer and OpenCL. */
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gst::cl {

enum class BlendMode { add, average, difference, multiply, lighten, darken };

enum class BlendSum { float32, int32, int64 };

struct BlendPlan {
  /** The type of the fold: the fastest one with an exact result, if there is one. */
  BlendSum sum = BlendSum::float32;
  /** One weight for each frame. For products, the first weight is the scale of each step. */
  std::vector<double> weights;
  /** result = round (fold / divisor + bias), computed as n / (4 * divisor) with n = 4 * fold + offset. */
  double divisor = 1, offset = 0;
  /** The samples that mean 0 and 1 in products; products clamp samples to this range. */
  double black = 0, white = 0;
  /** FOLD of kernels/blend/blend.cl. */
  const char *fold = "sum";
};

/** bias: in sample units; max: the greatest sample; black, white: the samples that mean 0 and 1. One weight for each frame. */
BlendPlan plan_blend (BlendMode mode, std::span<const double> weights, double bias, int max, int black, int white);

/** Like plan_blend(), for sums and differences of chroma, whose samples are signed numbers around the neutral sample. */
BlendPlan plan_chroma_blend (BlendMode mode, std::span<const double> weights, int max, int neutral);

/** The value of FOLD for a mode. Differences of chroma use "sum". */
const char *blend_fold (BlendMode mode);

}  // namespace gst::cl
