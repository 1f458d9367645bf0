/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include <cmath>
#include <cstdint>

#include "../../reference/common.hpp"

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

std::vector<double>
gaussian_mean (const Component &source, double sigma, int radius, const Border &border, int constant)
{
  const std::vector<double> weights = gaussian_weights (sigma, radius);
  const int w = source.width, h = source.height;
  std::vector<double> down (w * h), mean (w * h);
  auto get = [&] (int x, int y) { return (double) source.at (x, y); };
  auto get_down = [&] (int x, int y) { return down[y * w + x]; };
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int d = -radius; d <= radius; d++)
        down[y * w + x] += weights[radius + d] * sample (x, y + d, w, h, border, get, (double) constant);
  /* a column of the border constant has this constant as its mean */
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int d = -radius; d <= radius; d++)
        mean[y * w + x] += weights[radius + d] * sample (x + d, y, w, h, border, get_down, (double) constant);
  return mean;
}

/* The exact mean of the window, rounded. Sums columns first, because large windows would take too long. */
static void
box (Component &component, const Component &source, int radius, const Border &border, int constant, int max)
{
  const int w = source.width, h = source.height;
  const int64_t side = 2 * radius + 1;
  std::vector<int64_t> down (w * h);
  auto get = [&] (int x, int y) { return (int64_t) source.at (x, y); };
  auto get_down = [&] (int x, int y) { return down[y * w + x]; };
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int d = -radius; d <= radius; d++)
        down[y * w + x] += sample (x, y + d, w, h, border, get, (int64_t) constant);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int64_t sum = 0;
      for (int d = -radius; d <= radius; d++)
        sum += sample (x + d, y, w, h, border, get_down, constant * side);
      /* the quotient is never a tie, and never so close to one that a double rounds to it */
      component.at (x, y) = round_to_sample ((double) sum / (double) (side * side), max);
    }
}

Picture
blur (const Picture &in, const Blur &settings, const Border &border)
{
  const int constant = round_to_sample (border.value * in.max (), in.max ());
  Picture out = in;
  if (settings.type == Blur::Gaussian && settings.sigma == 0)
    return out;
  for (Component &component : out.components) {
    const Component source = component;
    if (settings.type == Blur::Box) {
      box (component, source, settings.radius ? settings.radius : 2, border, constant, in.max ());
      continue;
    }
    const int radius = settings.radius ? settings.radius : (int) std::ceil (3 * settings.sigma);
    const std::vector<double> mean = gaussian_mean (source, settings.sigma, radius, border, constant);
    for (size_t i = 0; i < mean.size (); i++)
      component.value[i] = round_to_sample (mean[i], in.max ());
  }
  return out;
}

Picture
sharpen (const Picture &in, const Sharpen &settings, const Border &border)
{
  const int constant = round_to_sample (border.value * in.max (), in.max ());
  Picture out = in;
  for (Component &component : out.components) {
    const Component source = component;
    auto get = [&] (int x, int y) { return source.at (x, y); };
    auto at = [&] (int x, int y) { return sample (x, y, source.width, source.height, border, get, constant); };
    std::vector<double> mean;
    if (settings.method == Sharpen::Unsharp)
      mean = gaussian_mean (source, settings.sigma, (int) std::ceil (3 * settings.sigma), border, constant);
    for (int y = 0; y < source.height; y++)
      for (int x = 0; x < source.width; x++) {
        const double p = source.at (x, y);
        const double difference = settings.method == Sharpen::Laplacian
                                      ? 4 * p - at (x - 1, y) - at (x + 1, y) - at (x, y - 1) - at (x, y + 1)
                                      : p - mean[y * source.width + x];
        const bool enough = settings.method == Sharpen::Laplacian || settings.threshold == 0
                            || std::fabs (difference) > settings.threshold * in.max ();
        if (enough)
          component.at (x, y) = round_to_sample (p + settings.amount * difference, in.max ());
      }
  }
  return out;
}

}  // namespace ref
