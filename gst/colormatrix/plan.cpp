/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "colormatrix/plan.hpp"

#include "shared/convolve_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl {

namespace {

constexpr std::array<double, 3> intensity_percent{30, 59, 11};

/* Above this a sample of 1 saturates. */
constexpr double largest_factor = 0x1p22;

/* Users write decimal fractions of few digits, or halves, quarters and so on; all other numbers are treated as real. */
bool
is_nearly_integer (double v)
{
  return std::abs (v - std::round (v)) <= 1e-9 * std::max (1.0, std::abs (v));
}

double
snap (double v)
{
  return is_nearly_integer (v) ? std::round (v) : v;
}

bool
makes_integers (const ColorMatrix &matrix, double divisor)
{
  for (const auto &row : matrix)
    for (int i = 0; i < 3; i++)
      if (!is_nearly_integer (row[i] * divisor))
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
scaled_plan (const ColorMatrix &matrix, bool fixed_point, double divisor, double max, double terms)
{
  ColorPlan plan{fixed_point, matrix, divisor};
  for (auto &row : plan.rows) {
    for (int i = 0; i < 3; i++)
      row[i] = snap (row[i] * divisor);
    row[0] /= terms;
    row[3] = snap (row[3] * max * divisor);
    if (fixed_point)
      for (double &v : row)
        v = std::round (v);
  }
  return plan;
}

/* terms: the number of samples whose sum is the first one. */
ColorPlan
plan_rows (ColorMatrix matrix, double max, double terms = 1)
{
  for (auto &row : matrix)
    for (double &v : row)
      v = std::clamp (v, -largest_factor, largest_factor);
  const double gain = gain_of (matrix);
  /* Floats hold every sum exactly, and a quotient is farther from a tie than its rounding error. */
  if (const auto divisor = common_divisor (matrix); divisor && gain * max * *divisor <= 0x1p23)
    return scaled_plan (matrix, false, *divisor, max, terms);
  /* Otherwise, the rounding errors of three sums stay well below one step. */
  if (gain * max * 3 * 0x1p-24 <= 0.4)
    return scaled_plan (matrix, false, 1, max, terms);
  return scaled_plan (matrix, true, 0x1p20, max, terms);
}

/* Applies `outer` to the result of `inner`. */
ColorMatrix
product (const ColorMatrix &outer, const ColorMatrix &inner)
{
  ColorMatrix result{};
  for (int row = 0; row < 3; row++) {
    for (int column = 0; column < 4; column++)
      for (int i = 0; i < 3; i++)
        result[row][column] += outer[row][i] * inner[i][column];
    result[row][3] += outer[row][3];
  }
  return result;
}

/* Converts samples of Y, U, V to R'G'B' of 0..1. */
ColorMatrix
to_rgb (const YuvColors &c)
{
  const double green = 1 - c.red - c.blue, from_v = 2 * (1 - c.red), from_u = 2 * (1 - c.blue);
  const ColorMatrix rgb{{{1, 0, from_v, 0}, {1, -from_u * c.blue / green, -from_v * c.red / green, 0}, {1, from_u, 0, 0}}};
  const double luma = 1 / c.luma_scale, chroma = 1 / c.chroma_scale;
  const ColorMatrix yuv{{{luma, 0, 0, -c.luma_offset * luma}, {0, chroma, 0, -c.chroma_offset * chroma},
      {0, 0, chroma, -c.chroma_offset * chroma}}};
  return product (rgb, yuv);
}

/* And back. */
ColorMatrix
from_rgb (const YuvColors &c)
{
  const double green = 1 - c.red - c.blue, u = 0.5 / (1 - c.blue), v = 0.5 / (1 - c.red);
  const ColorMatrix yuv{{{c.red, green, c.blue, 0}, {-u * c.red, -u * green, 0.5, 0}, {0.5, -v * green, -v * c.blue, 0}}};
  const ColorMatrix samples{
      {{c.luma_scale, 0, 0, c.luma_offset}, {0, c.chroma_scale, 0, c.chroma_offset}, {0, 0, c.chroma_scale, c.chroma_offset}}};
  return product (samples, yuv);
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
plan_color_matrix (const ColorMatrix &matrix, const std::array<int, 3> &order, int max)
{
  ColorMatrix rows{};
  for (int row = 0; row < 3; row++) {
    for (int column = 0; column < 3; column++)
      rows[row][column] = matrix[order[row]][order[column]];
    rows[row][3] = matrix[order[row]][3];
  }
  return plan_rows (rows, max);
}

ColorPlan
plan_gray_matrix (const ColorMatrix &matrix, const BlackWhite &range, int max)
{
  double factor = 0, offset = 0;
  for (int row = 0; row < 3; row++) {
    const auto &[r, g, b, constant] = matrix[row];
    factor += intensity_percent[row] * (r + g + b) / 100;
    offset += intensity_percent[row] * constant / 100;
  }
  const double black = range.black, white = range.white;
  return plan_rows ({{{factor, 0, 0, (black + offset * (white - black) - factor * black) / max}}}, max);
}

ColorPlan
plan_yuv_matrix (const ColorMatrix &matrix, const YuvColors &colors, int max)
{
  ColorMatrix rows = product (from_rgb (colors), product (matrix, to_rgb (colors)));
  for (auto &row : rows)
    row[3] /= max;
  return plan_rows (rows, max, 4);
}

}  // namespace gst::cl
