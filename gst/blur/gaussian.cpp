/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "blur/gaussian.hpp"

#include "shared/separable.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gst::cl {

int
gaussian_radius (double sigma)
{
  return int (std::ceil (3 * sigma));
}

GaussianWeights
gaussian_weights (double sigma, int radius, int max)
{
  std::vector<double> half (radius + 1);
  for (int d = 0; d <= radius; d++)
    half[d] = std::exp (-(double (d) * d) / (2 * sigma * sigma));
  const double sum = 2 * std::accumulate (half.begin () + 1, half.end (), half[0]) - half[0];
  /* Both passes omit the ends of the window, on two sides each. */
  const double least = 0.01 / max / 4;
  double left_out = 0;
  while (radius > 0 && left_out + half[radius] / sum < least)
    left_out += half[radius--] / sum;

  GaussianWeights weights{radius, std::vector<float> (2 * radius + 1)};
  const double kept = 1 - 2 * left_out;
  for (int d = -radius; d <= radius; d++)
    weights.values[radius + d] = float (half[std::abs (d)] / sum / kept);
  return weights;
}

Launches
gaussian_launches (
    const Runner &runner, const PlaneTask &task, const GaussianWeights &weights, const std::optional<Sharpening> &sharpening)
{
  const std::vector<double> taps (weights.values.begin (), weights.values.end ());
  const Sharpening result = sharpening.value_or (Sharpening{});
  SeparableWindow window{.products = {{taps, taps}},
      .result_source = "shared/result.clh",
      .options = {{"SHARPEN", sharpening.has_value ()}},
      .result = {cl_float (result.amount), cl_float (result.least)}};
  if (const auto fixed = sharpening ? std::nullopt : matrix_weights (taps))
    window.matrix = MatrixWindow{*fixed, *fixed};
  return separable_launches (runner, task, window);
}

}  // namespace gst::cl
