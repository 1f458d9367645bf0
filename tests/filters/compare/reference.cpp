/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include <bit>

#include "../../reference/common.hpp"

namespace ref {

double
psnr_of (double mse, int max)
{
  return mse == 0 ? 100 : 10 * std::log10 (double (max) * max / mse);
}

static double
mean_squared_error (const Component &a, const Component &b)
{
  double sum = 0;
  for (size_t i = 0; i < a.value.size (); i++)
    sum += double (a.value[i] - b.value[i]) * (a.value[i] - b.value[i]);
  return sum / a.value.size ();
}

static double
mean_of (const Component &component)
{
  double sum = 0;
  for (const int v : component.value)
    sum += v;
  return sum / component.value.size ();
}

/* Pearson's coefficient. It is undefined for constant planes: equal planes count as 1, others as 0. */
static double
correlation (const Component &a, const Component &b)
{
  const double mean_a = mean_of (a), mean_b = mean_of (b);
  double covariance = 0, variance_a = 0, variance_b = 0;
  bool constant_a = true, constant_b = true;
  for (size_t i = 0; i < a.value.size (); i++) {
    const double p = a.value[i] - mean_a, q = b.value[i] - mean_b;
    covariance += p * q;
    variance_a += p * p;
    variance_b += q * q;
    constant_a = constant_a && a.value[i] == a.value[0];
    constant_b = constant_b && b.value[i] == b.value[0];
  }
  if (constant_a || constant_b)
    return a.value == b.value ? 1 : 0;
  return covariance / std::sqrt (variance_a) / std::sqrt (variance_b);
}

static double
window_similarity (const Component &a, const Component &b, int left, int top, int max)
{
  constexpr int size = 11, middle = 5;
  constexpr double sigma = 1.5;
  double total = 0, mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
  for (const auto [x, y] : Places{size, size}) {
    const double distance = (x - middle) * (x - middle) + (y - middle) * (y - middle);
    const double weight = std::exp (-distance / (2 * sigma * sigma));
    const double p = a.at (left + x, top + y), q = b.at (left + x, top + y);
    total += weight;
    mean_a += weight * p;
    mean_b += weight * q;
    aa += weight * p * p;
    bb += weight * q * q;
    ab += weight * p * q;
  }
  mean_a /= total;
  mean_b /= total;
  const double variance_a = aa / total - mean_a * mean_a, variance_b = bb / total - mean_b * mean_b;
  const double covariance = ab / total - mean_a * mean_b;
  const double c1 = std::pow (0.01 * max, 2), c2 = std::pow (0.03 * max, 2);
  return (2 * mean_a * mean_b + c1) * (2 * covariance + c2)
         / ((mean_a * mean_a + mean_b * mean_b + c1) * (variance_a + variance_b + c2));
}

static std::optional<double>
structural_similarity (const Component &a, const Component &b, int max)
{
  const int columns = a.width - 10, rows = a.height - 10;
  if (columns < 1 || rows < 1)
    return std::nullopt;
  double sum = 0;
  for (const auto [x, y] : Places{columns, rows})
    sum += window_similarity (a, b, x, y, max);
  return sum / columns / rows;
}

Comparison
compare (const Picture &stored_a, const Picture &stored_b, unsigned planes)
{
  const Picture a = bounded (stored_a), b = bounded (stored_b);
  Comparison result;
  Likeness &all = result.overall;
  double samples = 0, ssim_samples = 0, ssim = 0;
  for (const Component &component : a.components) {
    if (!(plane_bit (component.name) & planes))
      continue;
    const Component &other = *b.find (component.name);
    Likeness one;
    one.mse = mean_squared_error (component, other);
    one.psnr = psnr_of (one.mse, a.max ());
    one.correlation = correlation (component, other);
    one.ssim = structural_similarity (component, other, a.max ());
    result.components[std::countr_zero (plane_bit (component.name))] = one;

    const double n = double (component.value.size ());
    samples += n;
    all.mse += one.mse * n;
    all.correlation += one.correlation * n;
    if (one.ssim) {
      ssim_samples += n;
      ssim += *one.ssim * n;
    }
  }
  all.mse /= samples;
  all.correlation /= samples;
  all.psnr = psnr_of (all.mse, a.max ());
  if (ssim_samples > 0)
    all.ssim = ssim / ssim_samples;
  return result;
}

}  // namespace ref
