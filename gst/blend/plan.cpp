/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "blend/plan.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gst::cl {

namespace {

constexpr double largest_weight = 10;

/* The type that holds every n, and every remainder during its division; real numbers are floats. gain bounds the fold in
 * samples of full scale, divisor bounds its divisor. The bounds come from the ranges of the properties and not from their
 * values, so that a moving slider keeps its program. */
BlendSum
sum_type (double gain, double divisor, double max, bool exact)
{
  if (!exact || 4 * max * (gain + divisor) <= 0x1p24)
    return BlendSum::float32;
  return 4 * (max + 1) * (gain + 2 * divisor) < 0x1p31 ? BlendSum::int32 : BlendSum::int64;
}

/* Twice the bias times the divisor decides every tie: its integer part, and whether there is a fraction. */
double
offset_for (double bias, double divisor, bool exact)
{
  const double twice = 2 * bias * divisor, whole = std::floor (twice);
  return exact ? 2 * whole + (twice > whole ? 1 : 0) : 2 * twice;
}

BlendPlan
plan_sum (BlendMode mode, std::span<const double> weights, double bias, double max)
{
  BlendPlan plan{.weights = {weights.begin (), weights.end ()}};
  const double total = std::accumulate (weights.begin (), weights.end (), 0.0);
  if (mode == BlendMode::average && total != 0)
    plan.divisor = std::abs (total);
  if (mode == BlendMode::average && total < 0)
    std::ranges::transform (plan.weights, plan.weights.begin (), std::negate ());
  const bool exact = std::ranges::all_of (plan.weights, is_integer);
  const double gain = largest_weight * double (weights.size ());
  plan.sum = sum_type (gain, mode == BlendMode::average ? gain : 1, max, exact);
  plan.offset = offset_for (bias, plan.divisor, exact);
  return plan;
}

/* The product of n samples, divided n - 1 times by the greatest sample; exact as long as 64 bits hold the numerator. */
BlendPlan
plan_product (size_t n, double bias, double max)
{
  const double divisor = std::pow (max, double (n - 1));
  const bool exact = 4 * (max + 1) * 3 * divisor < 0x1p63;
  BlendPlan plan{.weights = std::vector<double> (n, exact ? 1.0 : 1 / max)};
  plan.divisor = exact ? divisor : 1;
  plan.sum = sum_type (divisor, divisor, max, exact);
  plan.offset = offset_for (bias, plan.divisor, exact);
  return plan;
}

}  // namespace

const char *
blend_fold (BlendMode mode)
{
  static constexpr const char *names[] = {"sum", "sum", "difference", "multiply", "lighten", "darken"};
  return names[int (mode)];
}

BlendPlan
plan_blend (BlendMode mode, std::span<const double> weights, double bias, int max, int black, int white)
{
  if (mode == BlendMode::add || mode == BlendMode::average)
    return plan_sum (mode, weights, bias, max);
  BlendPlan plan{.weights = std::vector<double> (weights.size (), 1.0)};
  if (mode == BlendMode::multiply) {
    plan = plan_product (weights.size (), bias + black, white - black);
    plan.black = black;
    plan.white = white;
  } else
    plan.offset = offset_for (bias, 1, true);
  plan.fold = blend_fold (mode);
  return plan;
}

/* A sum of weights times (v - neutral) is a sum of weights times v, plus a constant. */
BlendPlan
plan_chroma_blend (BlendMode mode, std::span<const double> weights, int max, int neutral)
{
  std::vector<double> signs (weights.size (), -1.0);
  signs[0] = 1;
  const std::span<const double> factors = mode == BlendMode::difference ? std::span<const double> (signs) : weights;
  const double total = std::accumulate (factors.begin (), factors.end (), 0.0);
  const bool mean = mode == BlendMode::average && total != 0;
  return plan_sum (mode == BlendMode::average ? mode : BlendMode::add, factors, mean ? 0 : neutral * (1 - total), max);
}

}  // namespace gst::cl
