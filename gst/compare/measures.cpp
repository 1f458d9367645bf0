/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compare/measures.hpp"

#include <cmath>

namespace gst::cl {

namespace {

/* Holds sums of squares of 16-bit samples times their number. After a device failure the sums are arbitrary, and their products
 * may overflow. */
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 Product;

std::uint64_t
squared_error (const CompareSums &sums)
{
  return sums.aa + sums.bb - 2 * sums.ab;
}

Wide
spread (std::uint64_t n, std::uint64_t products, std::uint64_t one, std::uint64_t other)
{
  return Wide (Product (n) * products - Product (one) * other);
}

/* Pearson's coefficient. It is undefined for a constant plane: equal planes count as 1, others as 0. */
double
correlation (const CompareSums &s)
{
  const Wide variance_a = spread (s.samples, s.aa, s.a, s.a), variance_b = spread (s.samples, s.bb, s.b, s.b);
  if (variance_a == 0 || variance_b == 0)
    return squared_error (s) == 0 ? 1 : 0;
  const Wide covariance = spread (s.samples, s.ab, s.a, s.b);
  return double (covariance) / (std::sqrt (double (variance_a)) * std::sqrt (double (variance_b)));
}

}  // namespace

CompareSums &
CompareSums::operator+= (const CompareSums &more)
{
  samples += more.samples;
  a += more.a;
  b += more.b;
  aa += more.aa;
  bb += more.bb;
  ab += more.ab;
  windows += more.windows;
  similarity += more.similarity;
  return *this;
}

double
compare_psnr (double mse, int max)
{
  return mse == 0 ? 100 : 10 * std::log10 (double (max) * max / mse);
}

CompareMeasures
compare_measures (const CompareSums &sums, int max)
{
  CompareMeasures measures;
  measures.mse = double (squared_error (sums)) / double (sums.samples);
  measures.psnr = compare_psnr (measures.mse, max);
  measures.correlation = correlation (sums);
  if (sums.windows > 0)
    measures.ssim = sums.similarity / double (sums.windows);
  return measures;
}

CompareMeasures
compare_overall (std::span<const CompareSums> components, int max)
{
  CompareMeasures overall;
  double samples = 0, ssim_samples = 0, ssim = 0;
  for (const CompareSums &component : components) {
    const CompareMeasures one = compare_measures (component, max);
    const double n = double (component.samples);
    samples += n;
    overall.mse += double (squared_error (component));
    overall.correlation += n * one.correlation;
    if (one.ssim) {
      ssim_samples += n;
      ssim += n * *one.ssim;
    }
  }
  overall.mse /= samples;
  overall.correlation /= samples;
  overall.psnr = compare_psnr (overall.mse, max);
  if (ssim_samples > 0)
    overall.ssim = ssim / ssim_samples;
  return overall;
}

}  // namespace gst::cl
