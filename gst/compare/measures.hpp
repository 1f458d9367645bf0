/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns sums over samples into measures of similarity. Independent of GStreamer and OpenCL. */
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace gst::cl {

/** Sums over the samples of one component of two pictures a and b. */
struct CompareSums {
  std::uint64_t samples = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  /** Number of windows of the structural similarity, and the sum of their results. */
  std::uint64_t windows = 0;
  double similarity = 0;

  CompareSums &operator+= (const CompareSums &more);
};

struct CompareMeasures {
  double mse = 0, psnr = 0, correlation = 0;
  std::optional<double> ssim;
};

/** max: the greatest sample. */
CompareMeasures compare_measures (const CompareSums &sums, int max);
/** Measures of all components: errors of all samples together; means weighted by the number of samples for the others. */
CompareMeasures compare_overall (std::span<const CompareSums> components, int max);

/** In decibels; 100 if there is no error. */
double compare_psnr (double mse, int max);

}  // namespace gst::cl
