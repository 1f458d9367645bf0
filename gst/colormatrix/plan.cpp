/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "colormatrix/plan.hpp"

#include "shared/convolve_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl {

namespace {

constexpr std::array<double, 3> intensity_percent{30, 59, 11};

/* Beyond this a sample of 1 saturates. */
constexpr double largest_factor = 0x1p22;

/* Numbers that people write are decimal fractions of few digits or halves, quarters and so on; others are real. */
bool
is_integer (double v)
{
  return std::abs (v - std::round (v)) <= 1e-9 * std::max (1.0, std::abs (v));
}

double
snap (double v)
{
  return is_integer (v) ? std::round (v) : v;
}

bool
makes_integers (const ColorMatrix &matrix, double divisor)
{
  for (const auto &row : matrix)
    for (int i = 0; i < 3; i++)
      if (!is_integer (row[i] * divisor))
        return false;
  return true;
}

std::optional<double>
common_divisor (const ColorMatrix &matrix)
{
  for (double divisor = 1; divisor <= 1e6; divisor *= 10)
    if (makes_integers (matrix, divisor))
      return divisor;
  for (double divisor = 2; divisor <= 0x1p20; divisor *= 2)
    if (makes_integers (matrix, divisor))
      return divisor;
  return std::nullopt;
}

/* The largest magnitude of a sum over full scale. */
double
gain_of (const ColorMatrix &matrix)
{
  double gain = 1;
  for (const auto &row : matrix)
    gain = std::max (gain, std::abs (row[0]) + std::abs (row[1]) + std::abs (row[2]) + std::abs (row[3]));
  return gain;
}

ColorPlan
scaled_plan (const ColorMatrix &matrix, bool fixed_point, double divisor, double max)
{
  ColorPlan plan{fixed_point, matrix, divisor};
  for (auto &row : plan.rows) {
    for (int i = 0; i < 3; i++)
      row[i] = snap (row[i] * divisor);
    row[3] = snap (row[3] * max * divisor);
    if (fixed_point)
      for (double &v : row)
        v = std::round (v);
  }
  return plan;
}

ColorPlan
plan_rows (ColorMatrix matrix, double max)
{
  for (auto &row : matrix)
    for (double &v : row)
      v = std::clamp (v, -largest_factor, largest_factor);
  const double gain = gain_of (matrix);
  /* Floats hold every sum, and a quotient stays farther from a tie than its own rounding. */
  if (const auto divisor = common_divisor (matrix); divisor && gain * max * *divisor <= 0x1p23)
    return scaled_plan (matrix, false, *divisor, max);
  /* Or the rounding errors of three sums stay well below one step. */
  if (gain * max * 3 * 0x1p-24 <= 0.4)
    return scaled_plan (matrix, false, 1, max);
  return scaled_plan (matrix, true, 0x1p20, max);
}

}  // namespace

ColorMatrix
color_preset_matrix (ColorPreset preset)
{
  constexpr std::array<double, 4> intensity{.3, .59, .11, 0};
  switch (preset) {
    case ColorPreset::grayscale:
      return {intensity, intensity, intensity};
    case ColorPreset::sepia:
      return {{{.393, .769, .189, 0}, {.349, .686, .168, 0}, {.272, .534, .131, 0}}};
    case ColorPreset::invert:
      return {{{-1, 0, 0, 1}, {0, -1, 0, 1}, {0, 0, -1, 1}}};
    case ColorPreset::none:
      break;
  }
  return {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
}

bool
color_matrix_is_identity (const ColorMatrix &matrix)
{
  return matrix == color_preset_matrix (ColorPreset::none);
}

ColorParse
parse_color_matrix (const std::string &text)
{
  const ConvolveParse parsed = convolve_parse_matrix (text);
  if (!parsed.matrix)
    return {std::nullopt, parsed.error};
  const ConvolveMatrix &taps = *parsed.matrix;
  if (taps.width != 4 || taps.height != 3)
    return {std::nullopt, "'" + text + "' has " + std::to_string (taps.height) + " rows of " + std::to_string (taps.width)
                              + "; write 3 rows of 4 numbers, for example \"1 0 0 0; 0 1 0 0; 0 0 1 0\""};
  ColorMatrix matrix;
  for (int row = 0; row < 3; row++)
    for (int column = 0; column < 4; column++)
      matrix[row][column] = taps.at (column, row);
  return {matrix, {}};
}

ColorPlan
plan_color_matrix (const ColorMatrix &matrix, const std::array<int, 3> &order, bool gray, int max)
{
  ColorMatrix rows{};
  if (gray) {
    for (int row = 0; row < 3; row++) {
      const auto &[r, g, b, offset] = matrix[row];
      rows[0][0] += intensity_percent[row] * (r + g + b) / 100;
      rows[0][3] += intensity_percent[row] * offset / 100;
    }
  } else {
    for (int row = 0; row < 3; row++) {
      for (int column = 0; column < 3; column++)
        rows[row][column] = matrix[order[row]][order[column]];
      rows[row][3] = matrix[order[row]][3];
    }
  }
  return plan_rows (rows, max);
}

}  // namespace gst::cl
