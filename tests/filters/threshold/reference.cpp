/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include "../equalize/reference.hpp"
#include "../histogram/reference.hpp"

namespace ref {

namespace {

/* Large enough for the products below with pictures of up to 2^16 samples. */
__extension__ typedef unsigned __int128 wide;

/* The limit for comparisons, and the rounded limit that trunc writes. */
struct Limit {
  double exact;
  int rounded;
};

int
cut (int v, const Limit &limit, Threshold::Type type, int black, int white)
{
  const bool above = v > limit.exact;
  switch (type) {
    case Threshold::Binary:
      return above ? white : black;
    case Threshold::BinaryInv:
      return above ? black : white;
    case Threshold::Trunc:
      return std::min (v, limit.rounded);
    case Threshold::ToZero:
      return above ? v : black;
    case Threshold::ToZeroInv:
      return above ? black : v;
  }
  return 0;
}

Limit
local_limit (const Around &source, int x, int y, const Threshold &settings, int span)
{
  const int r = settings.radius;
  double sum = 0;
  for (const auto [i, j] : window (r, r))
    sum += source (x + i, y + j);
  /* over one denominator, in millionths, because doubles of decimals such as 0.02 would miss exact halves */
  const int n = (2 * r + 1) * (2 * r + 1);
  const double limit = (sum - std::nearbyint (n * settings.offset * span * 1e6) / 1e6) / n;
  return {limit, round_to_sample (limit, source.max)};
}

/* Filters one component separately. */
Component
cut_component (const Picture &in, const Component &source, const Threshold &settings, const Scene &scene)
{
  const int max = in.max ();
  const bool limited = !settings.full && source.name == 'y' && in.is_limited ();
  const int black = limited ? in.black () : 0, white = limited ? in.white () : max;
  const double fixed = black + settings.threshold * (white - black);
  Limit limit{fixed, round_to_sample (fixed, max)};
  if (settings.method == Threshold::Otsu) {
    const int t = otsu (histogram (in, source, scene.region, max + 1));
    limit = {(double) t, t};
  }
  const Around around{source, scene.border, max};
  Component result = source;
  for (const auto [x, y] : source.places ()) {
    if (settings.method == Threshold::Mean)
      limit = local_limit (around, x, y, settings, white - black);
    result.at (x, y) = cut (source.at (x, y), limit, settings.type, black, white);
  }
  return result;
}

}  // namespace

int
otsu (const std::vector<unsigned> &histogram)
{
  wide all = 0, sum_of_all = 0;
  for (size_t v = 0; v < histogram.size (); v++) {
    all += histogram[v];
    sum_of_all += (wide) histogram[v] * v;
  }
  /* variance = numerator / denominator, up to a constant factor */
  wide best_numerator = 0, best_denominator = 1, count = 0, sum = 0;
  int best = 0;
  for (size_t t = 0; t < histogram.size (); t++) {
    count += histogram[t];
    sum += (wide) histogram[t] * t;
    if (count == 0 || count == all)
      continue;
    const wide left = all * sum, right = count * sum_of_all;
    const wide difference = left > right ? left - right : right - left;
    const wide numerator = difference * difference, denominator = count * (all - count);
    if (numerator * best_denominator > best_numerator * denominator) {
      best_numerator = numerator;
      best_denominator = denominator;
      best = (int) t;
    }
  }
  return best;
}

Picture
threshold (const Picture &in, const Threshold &settings, const Scene &scene)
{
  Picture out = in;
  for (Component &component : out.components) {
    const char name = component.name;
    if (name == 'x')
      continue;
    if (settings.per_component || name == 'a' || name == 'y') {
      component.value = cut_component (in, *in.find (name), settings, scene).value;
    } else if (in.is_rgb ()) {
      if (name == 'r')
        component.value = cut_component (in, intensity_of (in), settings, scene).value;
      else
        component.value = out.find ('r')->value;
    } else {
      std::fill (component.value.begin (), component.value.end (), (in.max () + 1) / 2);
    }
  }
  return out;
}

}  // namespace ref
