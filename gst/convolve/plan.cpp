/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "convolve/plan.hpp"

#include "convolve/gpu.hpp"
#include "convolve/rank.hpp"
#include "core/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace gst::cl {

namespace {

/* Above this, unrolling all taps takes the compiler seconds and gives slow code. */
constexpr int max_unrolled_taps = 121;

/* With the rows that a tile keeps, well inside the first-level cache. */
constexpr int cpu_tile_samples = 640;

/* The matrix over its divisor, as integers or as real numbers. */
struct Quotient {
  int width = 0;
  int height = 0;
  bool integer = false;
  std::vector<int64_t> taps; /* integer: taps / divisor, without a common factor */
  int64_t divisor = 1;
  std::vector<double> real; /* taps over the divisor, for every matrix */
};

double
sum_of_magnitudes (const std::vector<double> &v)
{
  return std::accumulate (v.begin (), v.end (), 0.0, [] (double sum, double t) { return sum + std::abs (t); });
}

double
sum_of_magnitudes (const std::vector<int64_t> &v)
{
  return std::accumulate (
      v.begin (), v.end (), 0.0, [] (double sum, int64_t t) { return sum + std::abs (static_cast<double> (t)); });
}

double
effective_divisor (const ConvolveSettings &settings)
{
  if (settings.divisor != 0)
    return settings.divisor;
  const auto &taps = settings.matrix.taps;
  const double sum = std::accumulate (taps.begin (), taps.end (), 0.0);
  return std::abs (sum) < 1e-9 * sum_of_magnitudes (taps) || sum == 0 ? 1 : sum;
}

/* Halves, quarters and so on become integers as well; larger numbers than these cannot be summed exactly anyway. */
bool
make_integer (Quotient &quotient, std::vector<double> values)
{
  constexpr double limit = 1LL << 40;
  constexpr int max_fraction_bits = 30;
  for (int bits = 0; !std::all_of (values.begin (), values.end (), is_integer); bits++) {
    if (bits == max_fraction_bits)
      return false;
    for (double &v : values)
      v *= 2;
  }
  if (std::any_of (values.begin (), values.end (), [] (double v) { return std::abs (v) > limit; }))
    return false;
  std::vector<int64_t> integers (values.begin (), values.end ());
  int64_t common = 0;
  for (int64_t v : integers)
    common = std::gcd (common, v);
  for (int64_t &v : integers)
    v /= common;
  quotient.divisor = integers.back ();
  integers.pop_back ();
  quotient.taps = std::move (integers);
  return true;
}

Quotient
make_quotient (const ConvolveSettings &settings)
{
  Quotient quotient{settings.matrix.width, settings.matrix.height, false, {}, 1, {}};
  std::vector<double> taps = settings.matrix.taps;
  if (settings.flip)
    std::reverse (taps.begin (), taps.end ());
  double divisor = effective_divisor (settings);
  if (divisor < 0) {
    divisor = -divisor;
    for (double &t : taps)
      t = -t;
  }
  /* Beyond this every sum saturates, whatever the sample. */
  constexpr double largest = 0x1p50;
  for (double t : taps)
    quotient.real.push_back (std::clamp (t / divisor, -largest, largest));
  taps.push_back (divisor);
  quotient.integer = make_integer (quotient, std::move (taps));
  return quotient;
}

bool
is_identity (const Quotient &quotient, double bias)
{
  if (bias != 0)
    return false;
  const std::size_t anchor = static_cast<std::size_t> (quotient.height / 2) * quotient.width + quotient.width / 2;
  for (std::size_t i = 0; i < quotient.real.size (); i++)
    if (quotient.real[i] != (i == anchor ? 1 : 0))
      return false;
  return true;
}

/* The smallest type for the sums, as shared/quotient.clh uses them, with any bias in -1 .. 1; nothing if not even 64
 * bits hold them. */
std::optional<ConvolveSum>
exact_sum (double gain, double divisor, double max)
{
  /* 4 * sum + offset must be an exact float. Then n / divisor stays farther from a tie than its own rounding. */
  if (4 * max * (gain + divisor) <= 0x1p24)
    return ConvolveSum::float32;
  /* The remainder n - q * divisor must not overflow. */
  const double largest = 4 * (max + 1) * (gain + 2 * divisor);
  if (largest < 0x1p31)
    return ConvolveSum::int32;
  if (largest < 0x1p62)
    return ConvolveSum::int64;
  return std::nullopt;
}

/* A bound of the rounding errors of `length` sums of floats, in sample steps, has to stay well below 1. */
bool
floats_are_near (double gain, int length, double max)
{
  return gain * max * (length + 4) * 0x1p-24 <= 0.45;
}

template <typename To, typename From>
void
append (std::vector<unsigned char> &bytes, const std::vector<From> &values)
{
  for (From value : values) {
    const To converted = static_cast<To> (value);
    const std::size_t at = bytes.size ();
    bytes.resize (at + sizeof converted);
    std::memcpy (bytes.data () + at, &converted, sizeof converted);
  }
}

template <typename From>
void
append_taps (ConvolvePlan &plan, const std::vector<From> &values)
{
  switch (plan.sum) {
    case ConvolveSum::float32:
      return append<float> (plan.taps, values);
    case ConvolveSum::int32:
      return append<std::int32_t> (plan.taps, values);
    case ConvolveSum::int64:
      return append<std::int64_t> (plan.taps, values);
  }
}

/* divisor, inverse, offset, absolute as shared/quotient.clh wants them. On chroma, taps times (v - neutral) are wanted, which are
 * taps times v and a constant; the bias and magnitudes are of luma. */
void
set_arguments (
    ConvolvePlan &plan, double divisor, double sum_of_taps, const ConvolveSettings &settings, const ConvolveTarget &target)
{
  const double max = (1 << target.depth) - 1, neutral = 1 << (target.depth - 1);
  const double twice = target.chroma ? 2 * neutral * (divisor - sum_of_taps) : 2 * (settings.bias * max) * divisor;
  const double nearest = std::nearbyint (twice);
  /* In a tie, a bias such as 0.1 means one tenth, not the nearest double. */
  const double whole = std::abs (twice - nearest) <= 0x1p-46 * std::abs (twice) ? nearest : std::floor (twice);
  const double offset = plan.exact ? 2 * whole + (twice > whole ? 1 : 0) : 2 * twice;
  const auto scalar = [&plan] (double v) -> Argument {
    if (plan.sum == ConvolveSum::float32)
      return static_cast<float> (v);
    if (plan.sum == ConvolveSum::int32)
      return static_cast<std::int32_t> (v);
    return static_cast<std::int64_t> (v);
  };
  plan.arguments = {scalar (4 * divisor), static_cast<float> (1 / (4 * divisor)), scalar (offset),
      std::int32_t{settings.absolute && !target.chroma ? -1 : 0}};
}

/* Operations per sample, loads and the tile's detour included; measured on PoCL. */
int
direct_cost (const Quotient &quotient)
{
  return quotient.width * quotient.height + 8;
}

int
separable_cost (const Quotient &quotient, int rank)
{
  return rank * (quotient.width + quotient.height) + 14;
}

bool
plan_exact (
    ConvolvePlan &plan, const Quotient &quotient, const ConvolveSettings &settings, const ConvolveTarget &target, bool any_size)
{
  const double max = (1 << target.depth) - 1;
  const double divisor = static_cast<double> (quotient.divisor);
  const auto sum = exact_sum (sum_of_magnitudes (quotient.taps), divisor, max);
  if (!sum)
    return false;
  plan.sum = *sum;
  plan.algorithm = ConvolveAlgorithm::direct;
  if (!any_size && separable_cost (quotient, 1) < direct_cost (quotient))
    if (const auto factor = convolve_integer_factor (quotient.width, quotient.height, quotient.taps)) {
      plan.algorithm = ConvolveAlgorithm::separable;
      plan.rank = 1;
      append_taps (plan, factor->row);
      append_taps (plan, factor->column);
    }
  if (plan.algorithm == ConvolveAlgorithm::direct)
    append_taps (plan, quotient.taps);
  set_arguments (plan, divisor, std::accumulate (quotient.taps.begin (), quotient.taps.end (), 0.0), settings, target);
  return true;
}

bool
plan_real_factors (ConvolvePlan &plan, const Quotient &quotient, double max)
{
  constexpr int max_rank = 3;
  int limit = max_rank;
  while (limit > 0 && separable_cost (quotient, limit) >= direct_cost (quotient))
    limit--;
  if (limit == 0)
    return false;
  /* What is left out may move no sample by more than a fiftieth of a step. */
  const auto factors = convolve_low_rank_factors ({quotient.width, quotient.height, quotient.real}, limit, 0.02 / max);
  double gain = 0;
  for (const auto &[row, column] : factors)
    gain += sum_of_magnitudes (row) * sum_of_magnitudes (column);
  const int rank = static_cast<int> (factors.size ());
  if (rank == 0 || !floats_are_near (gain, rank * (quotient.width + quotient.height), max))
    return false;
  plan.algorithm = rank == 1 ? ConvolveAlgorithm::separable : ConvolveAlgorithm::low_rank;
  plan.rank = rank;
  for (const auto &[row, column] : factors) {
    append_taps (plan, row);
    append_taps (plan, column);
  }
  return true;
}

void
plan_real (
    ConvolvePlan &plan, const Quotient &quotient, const ConvolveSettings &settings, const ConvolveTarget &target, bool any_size)
{
  const double max = (1 << target.depth) - 1;
  plan.exact = false;
  plan.sum = ConvolveSum::float32;
  plan.algorithm = ConvolveAlgorithm::direct;
  const double gain = sum_of_magnitudes (quotient.real);
  const int taps = quotient.width * quotient.height;
  const int length = taps > 64 ? quotient.width + quotient.height : taps;
  double divisor = 1, sum = std::accumulate (quotient.real.begin (), quotient.real.end (), 0.0);
  if (floats_are_near (gain, length, max)) {
    if (any_size || !plan_real_factors (plan, quotient, max))
      append_taps (plan, quotient.real);
  } else {
    /* Large gains on deep samples: fixed point, with as many fraction bits as the sums leave room for. */
    const int bits = static_cast<int> (std::floor (59 - std::log2 ((max + 1) * (gain + 2))));
    divisor = std::exp2 (std::clamp (bits, 0, 40));
    /* If not even whole taps leave room, one of them saturates any sample. */
    const double largest = bits >= 0 ? 0x1p62 : 0x1p59 / (max + 1) / taps;
    std::vector<double> fixed;
    for (double t : quotient.real)
      fixed.push_back (std::clamp (std::nearbyint (t * divisor), -largest, largest));
    plan.sum = ConvolveSum::int64;
    append_taps (plan, fixed);
    sum = std::accumulate (fixed.begin (), fixed.end (), 0.0);
  }
  set_arguments (plan, divisor, sum, settings, target);
}

/* More rows per item share loads and conversions; fewer keep the unrolled code, and the time to build it, small. */
void
shape_direct_cpu (ConvolvePlan &plan, const Quotient &quotient)
{
  const int taps = quotient.width * quotient.height;
  if (plan.sum == ConvolveSum::float32 && taps <= max_unrolled_taps) {
    plan.spec.function = "convolve";
    plan.spec.sources = {"shared/quotient.clh", "convolve/convolve.cl"};
    plan.spec.tunable = {.local = true, .rows = any_rows};
    plan.spec.takes_steps = true;
    plan.spec.item_rows = taps <= 49 ? 8 : 4;
    return;
  }
  plan.spec.function = "convolve_tiled";
  plan.spec.sources = {"shared/quotient.clh", "lib/tile.clh", "convolve/tiled.cl"};
  plan.spec.tunable = {.local = true, .rows = any_rows};
  plan.spec.item_rows = quotient.height < 8 ? 2 : 4;
  plan.spec.strip_samples = cpu_tile_samples;
  plan.spec.options += {{"TILE_SAMPLES", plan.spec.strip_samples}};
}

void
shape_direct (ConvolvePlan &plan, const Quotient &quotient, const ConvolveTarget &target)
{
  if (!target.gpu)
    return shape_direct_cpu (plan, quotient);
  plan.spec.function = "convolve";
  plan.spec.sources = {"shared/quotient.clh", "convolve/convolve.cl"};
  plan.spec.tunable = {.local = true, .rows = any_rows};
  plan.spec.takes_steps = true;
  const bool few = quotient.width * quotient.height <= 9;
  if (plan.sum == ConvolveSum::int64) {
    plan.spec.item_samples = 4;
    plan.spec.item_rows = 2;
  } else if (target.image && few) {
    /* images are fast where neighbouring items have neighbouring pixels */
    plan.spec.item_samples = 4;
    plan.spec.item_rows = 4;
  } else {
    plan.spec.item_samples = few ? 16 : 8;
    plan.spec.item_rows = few ? 2 : 6;
  }
}

void
shape_separable_cpu (ConvolvePlan &plan)
{
  plan.spec.function = "convolve_separable";
  plan.spec.sources = {"shared/quotient.clh", "lib/tile.clh", "convolve/separable.cl"};
  plan.spec.tunable = {.local = true, .rows = any_rows};
  plan.spec.item_rows = plan.rank > 1 ? 4 : 8;
  plan.spec.strip_samples = cpu_tile_samples;
  plan.spec.options += {{"RANK", plan.rank}};
  plan.spec.options += {{"TILE_SAMPLES", plan.spec.strip_samples}};
}

/* The sums, and what they are made of. */
ConvolvePlan
begin_plan (const Quotient &quotient, const ConvolveSettings &settings, const ConvolveTarget &target, bool any_size)
{
  ConvolvePlan plan;
  if (!quotient.integer || !plan_exact (plan, quotient, settings, target, any_size))
    plan_real (plan, quotient, settings, target, any_size);
  constexpr const char *sum_names[] = {"SUM_FLOAT", "SUM_INT", "SUM_LONG"};
  plan.spec.options += {{sum_names[static_cast<int> (plan.sum)], 1}};
  return plan;
}

/* By a program for this size of matrix. */
ConvolvePlan
plan_size (const Quotient &quotient, const ConvolveSettings &settings, const ConvolveTarget &target)
{
  ConvolvePlan plan = begin_plan (quotient, settings, target, false);
  plan.spec.options += {{"KW", quotient.width}};
  plan.spec.options += {{"KH", quotient.height}};
  plan.spec.options += {{"EXACT", plan.exact}};
  const ConvolveWindow window{
      quotient.width, quotient.height, static_cast<double> (quotient.divisor), settings.absolute && !target.chroma};
  if (target.gpu && convolve_shape_floats (plan, window, target))
    return plan;
  if (plan.algorithm == ConvolveAlgorithm::direct)
    shape_direct (plan, quotient, target);
  else if (target.gpu)
    convolve_shape_quotients (plan, window, target);
  else
    shape_separable_cpu (plan);
  return plan;
}

/* By a program that takes the size as an argument. */
ConvolvePlan
plan_any_size (const Quotient &quotient, const ConvolveSettings &settings, const ConvolveTarget &target)
{
  ConvolvePlan plan = begin_plan (quotient, settings, target, true);
  plan.spec.function = "convolve_any";
  plan.spec.sources = {"shared/quotient.clh", "convolve/any.cl"};
  plan.spec.tunable = {.local = true};
  plan.arguments.push_back (cl_int2{{quotient.width, quotient.height}});
  return plan;
}

Algorithm
algorithm_of (const ConvolvePlan &plan, const Quotient &quotient, const ConvolveTarget &target)
{
  constexpr const char *names[] = {"direct", "separable", "low-rank"};
  const int left = quotient.width / 2, top = quotient.height / 2;
  Arguments arguments = plan.arguments;
  if (plan.taps_by_value)
    arguments.insert (arguments.begin (), ValueArgument (plan.taps));
  else
    arguments.insert (arguments.begin (), TableArgument ({"taps", int (target.components)}, plan.taps));
  return {names[static_cast<int> (plan.algorithm)], {left, quotient.width - 1 - left, top, quotient.height - 1 - top},
      {{plan.spec, arguments}}};
}

}  // namespace

bool
convolve_is_identity (const ConvolveSettings &settings)
{
  return is_identity (make_quotient (settings), settings.bias);
}

Plan
plan_convolve (const ConvolveSettings &settings, const ConvolveTarget &target)
{
  const Quotient quotient = make_quotient (settings);
  return {algorithm_of (plan_size (quotient, settings, target), quotient, target),
      algorithm_of (plan_any_size (quotient, settings, target), quotient, target)};
}

}  // namespace gst::cl
