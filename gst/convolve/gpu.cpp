/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "convolve/gpu.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>

namespace gst::cl {

namespace {

/* The offset of shared/quotient.clh, whose sums are multiplied by four. */
double
quotient_offset (const ConvolvePlan &plan)
{
  return std::get<float> (plan.arguments[2]);
}

/* How convolve/convolve.clh has to round; nothing if it is impossible. */
std::optional<int>
float_rounding (const ConvolvePlan &plan, double divisor, double max)
{
  int exponent;
  if (!plan.exact || std::frexp (divisor, &exponent) == 0.5)
    return 1;
  /* Products with an inverse are off by less than what a quotient that is no tie lacks of one. */
  if (4 * divisor * (max + 1) >= 0x1p23)
    return std::nullopt;
  /* (4 * sum + offset) / (4 * divisor) is a tie where 2 * sum + offset / 2 is an odd multiple of the divisor. */
  const auto offset = static_cast<std::int64_t> (quotient_offset (plan));
  const bool ties = offset % 2 == 0 && (offset / 2 - static_cast<std::int64_t> (divisor)) % 2 == 0;
  return ties ? 2 : 1;
}

/* The floats next to 1 / v, above and below it. */
std::pair<float, float>
inverses (double v)
{
  const auto nearest = static_cast<float> (1 / v);
  constexpr float infinity = std::numeric_limits<float>::infinity ();
  if (nearest * v < 1)
    return {std::nextafter (nearest, infinity), nearest};
  return {nearest, std::nextafter (nearest, -infinity)};
}

std::vector<float>
float_taps (const ConvolvePlan &plan)
{
  std::vector<float> taps (plan.taps.size () / sizeof (float));
  std::memcpy (taps.data (), plan.taps.data (), plan.taps.size ());
  return taps;
}

template <typename T>
void
set_taps (ConvolvePlan &plan, const std::vector<T> &taps)
{
  plan.taps.resize (taps.size () * sizeof (T));
  std::memcpy (plan.taps.data (), taps.data (), plan.taps.size ());
}

/* Raw terms are 2^-149 of a sample's value: taps compensate for it, as far as floats allow. */
void
scale_taps (ConvolvePlan &plan, const ConvolveWindow &window, float scale)
{
  std::vector<float> taps = float_taps (plan);
  const bool direct = plan.algorithm == ConvolveAlgorithm::direct;
  const std::size_t product = window.width + window.height;
  for (std::size_t i = 0; i < taps.size (); i++)
    if (direct || i % product >= std::size_t (window.width))
      taps[i] *= scale;
  set_taps (plan, taps);
}

/* Measured on an H200: few taps are unrolled whole, and then small items leave registers to more of them. */
void
shape_march (ConvolvePlan &plan, const ConvolveWindow &window, const ConvolveTarget &target)
{
  constexpr int most_by_value = 121, most_samples = 150;
  plan.spec.function = "convolve_march";
  plan.spec.sources = {"convolve/convolve.clh", "convolve/march.cl"};
  plan.spec.tunable = {.local = true, .rows = any_rows};
  plan.taps_by_value = window.width * window.height <= most_by_value;
  /* what an item keeps in registers: a row of terms, and its sums */
  const bool narrow = window.width * target.components + 5 * 16 > most_samples;
  const bool long_sums = !plan.exact && window.width * window.height >= 49;
  /* planes of one sample a pixel are small, and need small items for all units to have work */
  const bool few = target.components == 1 && target.depth == 8 && !long_sums;
  if (plan.taps_by_value) {
    plan.spec.item_samples = target.depth > 8 || narrow || few ? 8 : 16;
    plan.spec.item_rows = narrow || few ? 4 : long_sums ? 1 : 2;
  } else {
    plan.spec.item_samples = narrow ? 8 : 16;
    plan.spec.item_rows = narrow ? 6 : 4;
  }
}

/* In groups of local_x items; number_bytes is the size of a sum. */
void
shape_tile (ConvolvePlan &plan, const ConvolveWindow &window, const ConvolveTarget &target, int local_x, int number_bytes)
{
  plan.spec.function = "convolve_tile";
  plan.taps_by_value = true;
  plan.spec.item_rows = 1;
  plan.spec.local_x = local_x;
  plan.spec.local_y = 8;
  /* Every device has 32 KiB of local memory. The tile is padded by a quarter at most. */
  const int reach = (window.width + 1) * target.components + 24;
  const int row_bytes = (plan.spec.local_x * plan.spec.item_samples + reach) * 5 / 4 * number_bytes * plan.rank;
  while (plan.spec.local_y > 1 && plan.spec.local_y * row_bytes > 32 * 1024)
    plan.spec.local_y /= 2;
  plan.spec.options += {{"RANK", plan.rank}};
  plan.spec.options += {{"GROUP_X", plan.spec.local_x}};
  plan.spec.options += {{"GROUP_Y", plan.spec.local_y}};
  plan.spec.options += {{"COLUMN_ROWS", plan.spec.local_y}};
}

/* With results of convolve/convolve.clh. */
void
shape_float_tile (ConvolvePlan &plan, const ConvolveWindow &window, const ConvolveTarget &target)
{
  plan.spec.sources = {"convolve/convolve.clh", "convolve/tile.cl"};
  plan.spec.item_samples = target.depth > 8 ? 16 : 32;
  shape_tile (plan, window, target, 16, sizeof (float));
}

/* What two passes of integers need, where they serve a matrix of rank 1. */
struct FixedPoint {
  std::vector<std::int32_t> row, column;
  int shift = 0;        /* of the column's sums, before 16 of their bits are kept */
  double divisor = 1;   /* of the row's sums */
  int result_shift = 0; /* the power of two that this is, where it is chosen to be one */
};

/* Taps go through the matrix units as a high and a low byte with signs of their own. */
constexpr double largest_tap = 127 * 256 + 127;

/* Rounding errors are carried over, so that the sum is right. */
std::vector<std::int32_t>
round_taps (std::span<const float> taps, double scale)
{
  std::vector<std::int32_t> rounded;
  double sum = 0, before = 0;
  for (float t : taps) {
    sum += t * scale;
    rounded.push_back (static_cast<std::int32_t> (std::nearbyint (sum) - before));
    before = std::nearbyint (sum);
  }
  return rounded;
}

double
gain_of (std::span<const float> taps)
{
  return std::accumulate (taps.begin (), taps.end (), 0.0, [] (double sum, float t) { return sum + std::abs (t); });
}

double
largest_of (std::span<const float> taps)
{
  return std::accumulate (
      taps.begin (), taps.end (), 0.0, [] (double most, float t) { return std::max<double> (most, std::abs (t)); });
}

/* Integers are unchanged. */
std::optional<FixedPoint>
exact_fixed_point (std::span<const float> row, std::span<const float> column, double max, double divisor)
{
  if (gain_of (column) * max > INT16_MAX || std::max (largest_of (row), largest_of (column)) > largest_tap)
    return std::nullopt;
  return FixedPoint{{row.begin (), row.end ()}, {column.begin (), column.end ()}, 16, divisor, 0};
}

/* As many bits as the sums leave room for; nothing if a sample might be off by more than a fifth of a step. */
std::optional<FixedPoint>
real_fixed_point (std::span<const float> row, std::span<const float> column, double max)
{
  const double row_gain = gain_of (row), column_gain = gain_of (column);
  if (row_gain == 0 || column_gain == 0)
    return std::nullopt;
  /* A little less than 2^31, for what rounding adds; one tap may be off by a whole step after the others' fractions. */
  const double most = largest_tap - 2, room = 0x1p31 * 0.9962 / max;
  int shift = 0;
  while (shift < 16 && std::ldexp (room, -shift) / column_gain * largest_of (column) > most)
    shift++;
  const double column_scale = std::ldexp (room, -shift) / column_gain;
  const double kept_scale = std::ldexp (column_scale, shift - 16);
  const double row_limit = std::min (0x1p16 / row_gain, most / largest_of (row));
  const int result_shift = static_cast<int> (std::floor (std::log2 (row_limit * kept_scale)));
  const double row_scale = std::ldexp (1, result_shift) / kept_scale;
  const double error = max * column.size () * row_gain / column_scale + 0.5 * row_gain / kept_scale
                       + max * row.size () * column_gain / row_scale;
  if (error > 0.2 || result_shift < 1 || result_shift > 30)
    return std::nullopt;
  return FixedPoint{
      round_taps (row, row_scale), round_taps (column, column_scale), shift, std::ldexp (1, result_shift), result_shift};
}

/* The words of convolve/matrix.cl: four taps each for 32 lanes, high parts before low ones. tap (lane, byte) says which
 * tap a byte is, or nothing if that is none. */
template <typename TapOf>
void
append_fragment (std::vector<std::uint32_t> &table, const std::vector<std::int32_t> &taps, bool low, TapOf tap_of)
{
  for (int lane = 0; lane < 32; lane++) {
    std::uint32_t word = 0;
    for (int byte = 0; byte < 4; byte++) {
      const int i = tap_of (lane, byte);
      const std::int32_t tap = i >= 0 && i < int (taps.size ()) ? taps[i] : 0;
      const std::int32_t low_part = static_cast<std::int8_t> (tap & 0xff), high_part = (tap - low_part) / 256;
      word |= std::uint32_t ((low ? low_part : high_part) & 0xff) << (8 * byte);
    }
    table.push_back (word);
  }
}

std::vector<std::uint32_t>
matrix_fragments (const FixedPoint &fixed)
{
  const int width = fixed.row.size (), height = fixed.column.size ();
  const int column_parts = (16 + height - 1 + 15) / 16, row_parts = width <= 17 ? 2 : 3;
  std::vector<std::uint32_t> table;
  /* rows 0 .. 15 of sums from rows 0 .. 16 * column_parts - 1 */
  for (bool low : {false, true})
    for (int i = 0; i < 2 * column_parts; i++)
      append_fragment (table, fixed.column, low,
          [i] (int lane, int byte) { return i / 2 * 16 + lane % 4 * 4 + byte - (lane / 4 + i % 2 * 8); });
  /* pixels 0 .. 7 and 8 .. 15 of sums from the blocks of 16 before, here and behind */
  for (int half = 0; half < 2; half++)
    for (bool low : {false, true})
      for (int part = 0; part < row_parts; part++)
        append_fragment (table, fixed.row, low, [&] (int lane, int byte) {
          const int from = 16 * (part - 1 + (row_parts == 2 ? half : 0)) + lane % 4 * 4 + byte;
          return from - (8 * half + lane / 4) + width / 2;
        });
  return table;
}

/* Matrix units multiply so much faster that it pays although most of their factors are 0. Measured on an H200: few
 * warps in a group wait less for each other. */
void
shape_matrix (ConvolvePlan &plan, const FixedPoint &fixed)
{
  plan.spec.function = "convolve_matrix";
  plan.spec.sources = {"shared/matrix_units.clh", "convolve/convolve.clh", "convolve/matrix.cl"};
  plan.spec.item_samples = 16;
  plan.spec.local_x = 32;
  plan.spec.local_y = 2;
  plan.spec.item_rows = 16 / plan.spec.local_y;
  set_taps (plan, matrix_fragments (fixed));
  plan.spec.options += {{"GROUP_Y", plan.spec.local_y}};
}

/* Pixels of four 8-bit samples, as the matrix units take them, and other devices likewise. */
std::optional<FixedPoint>
fixed_point (const ConvolvePlan &plan, const ConvolveWindow &window, const ConvolveTarget &target, double max)
{
  if (plan.algorithm != ConvolveAlgorithm::separable || target.depth != 8 || target.components != 4)
    return std::nullopt;
  const std::vector<float> taps = float_taps (plan);
  const std::span<const float> row (taps.data (), window.width), column (taps.data () + window.width, window.height);
  return plan.exact ? exact_fixed_point (row, column, max, window.divisor) : real_fixed_point (row, column, max);
}

}  // namespace

void
convolve_shape_quotients (ConvolvePlan &plan, const ConvolveWindow &window, const ConvolveTarget &target)
{
  plan.spec.sources = {"shared/quotient.clh", "convolve/tile.cl"};
  plan.spec.item_samples = 16;
  shape_tile (plan, window, target, 32, plan.sum == ConvolveSum::int64 ? sizeof (std::int64_t) : sizeof (float));
  plan.spec.options += {{"QUOTIENTS", 1}};
}

bool
convolve_shape_floats (ConvolvePlan &plan, const ConvolveWindow &window, const ConvolveTarget &target)
{
  const double max = (1 << target.depth) - 1, divisor = plan.exact ? window.divisor : 1;
  if (plan.sum != ConvolveSum::float32 || target.image)
    return false;
  const std::optional<int> rounding = float_rounding (plan, divisor, max);
  if (!rounding)
    return false;
  const std::optional<FixedPoint> fixed = fixed_point (plan, window, target, max);
  const bool raw_terms = target.nvidia && !fixed;
  const double unit = raw_terms ? 0x1p-39 : 1;
  const double whole_divisor = (fixed ? fixed->divisor : divisor) * unit;
  const auto [above, below] = inverses (whole_divisor);
  const auto offset = static_cast<float> (quotient_offset (plan) / 4 / divisor * whole_divisor);
  plan.arguments = {offset, *rounding == 1 ? static_cast<float> (1 / whole_divisor) : above, below};
  if (raw_terms)
    scale_taps (plan, window, 0x1p110f);
  if (plan.algorithm == ConvolveAlgorithm::direct)
    shape_march (plan, window, target);
  else if (fixed && target.matrix_units)
    shape_matrix (plan, *fixed);
  else
    shape_float_tile (plan, window, target);
  if (plan.algorithm != ConvolveAlgorithm::direct) {
    const std::int32_t factor = fixed ? 1 << fixed->shift : 0, half = fixed && !plan.exact ? 1 << 15 : 0;
    plan.arguments.insert (plan.arguments.begin (), {factor, half, std::int32_t{fixed ? fixed->result_shift : 0}});
    plan.spec.options += {{"FIXED_POINT", fixed.has_value ()}};
    const bool by_shift = fixed && fixed->result_shift && offset == 0 && !window.absolute;
    plan.spec.options += {{"RESULT_BY_SHIFT", by_shift}};
  }
  if (fixed && !target.matrix_units) {
    std::vector<std::int32_t> taps = fixed->row;
    taps.insert (taps.end (), fixed->column.begin (), fixed->column.end ());
    set_taps (plan, taps);
  }
  plan.spec.options += {{"TAPS_BY_VALUE", plan.taps_by_value}};
  plan.spec.options += {{"RAW_TERMS", raw_terms}};
  plan.spec.options += {{"TENSOR", fixed && target.matrix_units}};
  plan.spec.options += {{"ROUNDING", *rounding}};
  plan.spec.options += {{"ABSOLUTE", window.absolute}};
  return true;
}

}  // namespace gst::cl
