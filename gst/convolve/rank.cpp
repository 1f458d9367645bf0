/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "convolve/rank.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gst::cl {

std::optional<ConvolveFactor<int64_t>>
convolve_integer_factor (int width, int height, const std::vector<int64_t> &taps)
{
  const auto row_at = [&] (int j) { return taps.begin () + static_cast<std::ptrdiff_t> (j) * width; };
  ConvolveFactor<int64_t> factor;
  for (int j = 0; j < height && factor.row.empty (); j++) {
    int64_t divisor = 0;
    for (int i = 0; i < width; i++)
      divisor = std::gcd (divisor, row_at (j)[i]);
    if (divisor != 0)
      for (int i = 0; i < width; i++)
        factor.row.push_back (row_at (j)[i] / divisor);
  }
  if (factor.row.empty ())
    return std::nullopt;
  /* The row's taps have no common divisor, so every row of a product is an integer multiple of it. */
  const auto pivot = std::find_if (factor.row.begin (), factor.row.end (), [] (int64_t t) { return t != 0; });
  const std::ptrdiff_t at = pivot - factor.row.begin ();
  for (int j = 0; j < height; j++) {
    const int64_t times = row_at (j)[at] / *pivot;
    for (int i = 0; i < width; i++)
      if (row_at (j)[i] != times * factor.row[i])
        return std::nullopt;
    factor.column.push_back (times);
  }
  return factor;
}

namespace {

/* One-sided Jacobi: rotates pairs of columns of a until all are orthogonal; then a = (columns) x (rows of v). */
struct Jacobi {
  explicit Jacobi (const ConvolveMatrix &matrix)
      : width (matrix.width), height (matrix.height), a (matrix.width, std::vector<double> (matrix.height)),
        v (matrix.width, std::vector<double> (matrix.width))
  {
    for (int i = 0; i < width; i++) {
      v[i][i] = 1;
      for (int j = 0; j < height; j++)
        a[i][j] = matrix.at (i, j);
    }
    constexpr int max_sweeps = 60;
    for (int sweep = 0; sweep < max_sweeps && rotate_all (); sweep++)
      ;
  }

  int width;
  int height;
  std::vector<std::vector<double>> a; /* a[i]: column i */
  std::vector<std::vector<double>> v;

private:
  bool rotate_all ()
  {
    bool rotated = false;
    for (int p = 0; p < width; p++)
      for (int q = p + 1; q < width; q++)
        rotated |= rotate (p, q);
    return rotated;
  }

  bool rotate (int p, int q)
  {
    const auto dot = [this] (int i, int j) { return std::inner_product (a[i].begin (), a[i].end (), a[j].begin (), 0.0); };
    const double alpha = dot (p, p), beta = dot (q, q), gamma = dot (p, q);
    if (gamma == 0 || std::abs (gamma) <= 1e-15 * std::sqrt (alpha * beta))
      return false;
    const double zeta = (beta - alpha) / (2 * gamma);
    const double t = std::copysign (1 / (std::abs (zeta) + std::hypot (1, zeta)), zeta);
    const double c = 1 / std::hypot (1, t), s = c * t;
    const auto turn = [c, s] (std::vector<double> &x, std::vector<double> &y) {
      for (std::size_t i = 0; i < x.size (); i++) {
        const double old = x[i];
        x[i] = c * old - s * y[i];
        y[i] = s * old + c * y[i];
      }
    };
    turn (a[p], a[q]);
    turn (v[p], v[q]);
    return true;
  }
};

double
squared_norm (const std::vector<double> &x)
{
  return std::inner_product (x.begin (), x.end (), x.begin (), 0.0);
}

}  // namespace

std::vector<ConvolveFactor<double>>
convolve_low_rank_factors (const ConvolveMatrix &matrix, int limit, double tolerance)
{
  Jacobi jacobi (matrix);
  std::vector<int> order (matrix.width);
  std::iota (order.begin (), order.end (), 0);
  std::sort (
      order.begin (), order.end (), [&] (int p, int q) { return squared_norm (jacobi.a[p]) > squared_norm (jacobi.a[q]); });

  std::vector<double> rest = matrix.taps;
  std::vector<ConvolveFactor<double>> factors;
  for (int k = 0; k < std::min (limit, matrix.width); k++) {
    factors.push_back ({jacobi.v[order[k]], jacobi.a[order[k]]});
    const auto &[row, column] = factors.back ();
    double left = 0;
    for (int j = 0; j < matrix.height; j++)
      for (int i = 0; i < matrix.width; i++) {
        double &tap = rest[static_cast<std::size_t> (j) * matrix.width + i];
        tap -= column[j] * row[i];
        left += std::abs (tap);
      }
    if (left <= tolerance)
      return factors;
  }
  return {};
}

}  // namespace gst::cl
