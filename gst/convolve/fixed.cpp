/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "convolve/fixed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gst::cl {

namespace {

/* Taps go through the matrix units as a high and a low byte with signs of their own. */
constexpr double largest_tap = 127 * 256 + 127;

/* Rounding errors are carried over, so that the sum is right. */
std::vector<std::int32_t>
round_taps (const std::vector<double> &taps, double scale)
{
  std::vector<std::int32_t> rounded;
  double sum = 0, before = 0;
  for (double t : taps) {
    sum += t * scale;
    rounded.push_back (static_cast<std::int32_t> (std::nearbyint (sum) - before));
    before = std::nearbyint (sum);
  }
  return rounded;
}

double
largest_of (const std::vector<double> &taps)
{
  return std::accumulate (
      taps.begin (), taps.end (), 0.0, [] (double most, double t) { return std::max (most, std::abs (t)); });
}

/* Integers are unchanged. */
std::optional<FixedPoint>
exact_fixed_point (const std::vector<double> &row, const std::vector<double> &column, double max, double divisor)
{
  if (sum_of_magnitudes (column) * max > INT16_MAX || std::max (largest_of (row), largest_of (column)) > largest_tap)
    return std::nullopt;
  return FixedPoint{{row.begin (), row.end ()}, {column.begin (), column.end ()}, 16, divisor, 0};
}

/* As many bits as the sums leave room for; nothing if a sample might be off by more than a fifth of a step. */
std::optional<FixedPoint>
real_fixed_point (const std::vector<double> &row, const std::vector<double> &column, double max)
{
  const double row_gain = sum_of_magnitudes (row), column_gain = sum_of_magnitudes (column);
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

}  // namespace

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

std::optional<FixedPoint>
fixed_point (const ConvolveSums &sums, double max)
{
  if (sums.products.size () != 1)
    return std::nullopt;
  const auto floats = [] (const std::vector<double> &taps) {
    const std::vector<float> rounded (taps.begin (), taps.end ());
    return std::vector<double> (rounded.begin (), rounded.end ());
  };
  const std::vector<double> column = floats (sums.products.front ().column), row = floats (sums.products.front ().row);
  return sums.exact ? exact_fixed_point (row, column, max, sums.divisor) : real_fixed_point (row, column, max);
}

}  // namespace gst::cl
