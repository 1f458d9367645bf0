/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include <cstdint>

namespace ref {

/* exp (-d^2 / (2 sigma^2)) for d = -radius .. radius, divided by their sum. */
static std::vector<double>
gaussian_weights (double sigma, int radius)
{
  std::vector<double> weights;
  double sum = 0;
  for (int d = -radius; d <= radius; d++) {
    weights.push_back (std::exp (-d * d / (2 * sigma * sigma)));
    sum += weights.back ();
  }
  for (double &weight : weights)
    weight /= sum;
  return weights;
}

/* The mean around each sample, unrounded, row by row. */
static std::vector<double>
gaussian_mean (const Around &source, double sigma, int radius)
{
  const std::vector<double> weights = gaussian_weights (sigma, radius);
  const int w = source.from.width, h = source.from.height;
  std::vector<double> down (w * h), mean (w * h);
  auto get_down = [&] (int x, int y) { return down[y * w + x]; };
  for (const auto [x, y] : source.from.places ())
    for (int d = -radius; d <= radius; d++)
      down[y * w + x] += weights[radius + d] * source (x, y + d);
  /* a column of the border constant has this constant as its mean */
  for (const auto [x, y] : source.from.places ())
    for (int d = -radius; d <= radius; d++)
      mean[y * w + x] += weights[radius + d] * sample (x + d, y, w, h, source.border, get_down, source.constant);
  return mean;
}

/* The exact mean of the window, rounded. Sums columns first, because large windows would take too long. */
static void
box (Component &component, const Around &source, int radius)
{
  const int w = component.width, h = component.height;
  const int64_t side = 2 * radius + 1;
  std::vector<int64_t> down (w * h);
  auto get_down = [&] (int x, int y) { return down[y * w + x]; };
  for (const auto [x, y] : component.places ())
    for (int d = -radius; d <= radius; d++)
      down[y * w + x] += source (x, y + d);
  for (const auto [x, y] : component.places ()) {
    int64_t sum = 0;
    for (int d = -radius; d <= radius; d++)
      sum += sample (x + d, y, w, h, source.border, get_down, source.constant * side);
    /* the quotient is never a tie, and never so close to one that a double rounds to it */
    component.at (x, y) = round_to_sample ((double) sum / (double) (side * side), source.max);
  }
}

Picture
blur (const Picture &in, const Blur &settings, const Border &border)
{
  Picture out = in;
  if (settings.type == Blur::Gaussian && settings.sigma == 0)
    return out;
  for (Component &component : out.components) {
    const Around source{component, border, in.max ()};
    if (settings.type == Blur::Box) {
      box (component, source, settings.radius ? settings.radius : 2);
      continue;
    }
    const int radius = settings.radius ? settings.radius : (int) std::ceil (3 * settings.sigma);
    const std::vector<double> mean = gaussian_mean (source, settings.sigma, radius);
    for (size_t i = 0; i < mean.size (); i++)
      component.value[i] = round_to_sample (mean[i], in.max ());
  }
  return out;
}

Picture
sharpen (const Picture &in, const Sharpen &settings, const Border &border)
{
  Picture out = in;
  for (Component &component : out.components) {
    const Around at{component, border, in.max ()};
    std::vector<double> mean;
    if (settings.method == Sharpen::Unsharp)
      mean = gaussian_mean (at, settings.sigma, (int) std::ceil (3 * settings.sigma));
    for (const auto [x, y] : component.places ()) {
      const double p = at (x, y);
      const double difference = settings.method == Sharpen::Laplacian
                                    ? 4 * p - at (x - 1, y) - at (x + 1, y) - at (x, y - 1) - at (x, y + 1)
                                    : p - mean[y * component.width + x];
      const bool enough = settings.method == Sharpen::Laplacian || settings.threshold == 0
                          || std::fabs (difference) > settings.threshold * in.max ();
      if (enough)
        component.at (x, y) = round_to_sample (p + settings.amount * difference, in.max ());
    }
  }
  return out;
}

}  // namespace ref
