/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/axis.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gst::cl {

namespace {

double
sinc (double x)
{
  return x == 0 ? 1 : std::sin (std::numbers::pi * x) / (std::numbers::pi * x);
}

/* How far away samples have a weight, in samples of the source or, if these are closer together, of the result. */
double
reach_of (Resampling how)
{
  switch (how) {
    case Resampling::bicubic:
      return 2;
    case Resampling::lanczos:
      return 3;
    default:
      return 1;
  }
}

/* The weight of a sample at distance d from the result's position. */
double
weight_of (Resampling how, double d)
{
  d = std::abs (d);
  if (d >= reach_of (how))
    return 0;
  switch (how) {
    case Resampling::bicubic: /* Catmull-Rom */
      return d < 1 ? (1.5 * d - 2.5) * d * d + 1 : ((-0.5 * d + 2.5) * d - 4) * d + 2;
    case Resampling::lanczos:
      return sinc (d) * sinc (d / 3);
    default:
      return 1 - d;
  }
}

/* The part of sample k that lies within `step` samples around place. */
double
covered (double place, double step, int k)
{
  return std::max (0.0, std::min (place + step / 2, k + 0.5) - std::max (place - step / 2, k - 0.5));
}

/* The nearest sample; the later of two equally near ones. */
int
nearest_to (std::int64_t place, std::int64_t unit)
{
  const std::int64_t twice = 2 * place + unit, whole = twice / (2 * unit);
  return int (whole - (twice % (2 * unit) < 0));
}

/* The samples with a weight at a place, starting at `first`; only the first and the last may lie outside. */
struct Weighed {
  int first;
  std::vector<double> weights;
};

Weighed
window_at (double place, double step, Resampling how)
{
  const double width = std::max (step, 1.0);
  const double reach = how == Resampling::area ? step / 2 + 0.5 : reach_of (how) * width;
  Weighed window{int (std::floor (place - reach)), {}};
  for (int k = window.first; k <= place + reach; k++)
    window.weights.push_back (how == Resampling::area ? covered (place, step, k) : weight_of (how, (k - place) / width));
  return window;
}

/* The window without samples outside the source, and without ends of weight 0; the weights are scaled so that their sum is
 * 1. */
Weighed
within (const Weighed &window, int source)
{
  constexpr double nothing = 1e-9;
  const int last = window.first + int (window.weights.size ()) - 1;
  Weighed inside{std::clamp (window.first, 0, source - 1), {}};
  inside.weights.resize (std::clamp (last, 0, source - 1) - inside.first + 1);
  double sum = 0;
  for (size_t i = 0; i < window.weights.size (); i++) {
    inside.weights[std::clamp (window.first + int (i), 0, source - 1) - inside.first] += window.weights[i];
    sum += window.weights[i];
  }
  while (inside.weights.size () > 1 && std::abs (inside.weights.back ()) < nothing)
    inside.weights.pop_back ();
  const auto begin = std::ranges::find_if (inside.weights, [] (double w) { return std::abs (w) >= nothing; });
  const auto skipped = std::min (begin - inside.weights.begin (), std::ptrdiff_t (inside.weights.size ()) - 1);
  inside.first += int (skipped);
  inside.weights.erase (inside.weights.begin (), inside.weights.begin () + skipped);
  for (double &weight : inside.weights)
    weight /= sum;
  return inside;
}

}  // namespace

Axis
make_axis (int source, int n, const Places &places, Resampling how)
{
  const auto unit = double (places.unit), step = double (places.step) / unit;
  std::vector<Weighed> windows;
  Axis axis{1, {}, {}};
  for (int i = 0; i < n; i++) {
    const std::int64_t place = places.origin + i * places.step;
    const Weighed window = how == Resampling::nearest ? Weighed{nearest_to (place, places.unit), {1}}
                                                      : window_at (double (place) / unit, step, how);
    windows.push_back (within (window, source));
    axis.taps = std::max (axis.taps, int (windows.back ().weights.size ()));
  }
  axis.weights.assign (size_t (axis.taps) * n, 0);
  for (int i = 0; i < n; i++) {
    const Weighed &window = windows[i];
    axis.first.push_back (std::min (window.first, source - axis.taps));
    std::ranges::copy (window.weights, axis.weights.begin () + size_t (i) * axis.taps + window.first - axis.first[i]);
  }
  return axis;
}

}  // namespace gst::cl
