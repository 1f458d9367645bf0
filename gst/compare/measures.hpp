/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns sums over samples into measures of similarity. Independent of GStreamer and OpenCL. */
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace gst::cl {

/** Over the samples of one component of two pictures a and b. */
struct CompareSums {
  std::uint64_t samples = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  /** Windows of the structural similarity, and the sum of what they gave. */
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
/** Of all components: of their samples together, and otherwise the mean of them by their samples. */
CompareMeasures compare_overall (std::span<const CompareSums> components, int max);

/** In decibels; 100 if there is no error. */
double compare_psnr (double mse, int max);

}  // namespace gst::cl
