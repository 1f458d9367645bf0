/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colour matrices: turns a string or a preset into numbers that a kernel multiplies without visible rounding errors. */
#pragma once

#include "shared/range.hpp"

#include <array>
#include <optional>
#include <string>

namespace gst::cl {

/* One row each for red, green and blue of the result: factors of red, green and blue, and an offset in units of full scale. */
using ColorMatrix = std::array<std::array<double, 4>, 3>;

/* In the order of the element's enum. */
enum class ColorPreset { none, grayscale, sepia, invert };

ColorMatrix color_preset_matrix (ColorPreset preset);
bool color_matrix_is_identity (const ColorMatrix &matrix);

struct ColorParse {
  std::optional<ColorMatrix> matrix;
  std::string error; /* if there is no matrix: the error and its position */
};

/* Parses 3 rows, separated by `;`, of 4 numbers, separated by spaces or commas. */
ColorParse parse_color_matrix (const std::string &text);

/* The numbers that kernels multiply by. */
struct ColorPlan {
  bool fixed_point;
  /* Factors and offset of each sample of the result; integers where fixed_point. */
  std::array<std::array<double, 4>, 3> rows;
  double divisor;
};

/* order: the component (0, 1, 2 for red, green, blue) of each of a pixel's samples. */
ColorPlan plan_color_matrix (const ColorMatrix &matrix, const std::array<int, 3> &order, int max);
/* The single sample stands for all three components; the result is the intensity. */
ColorPlan plan_gray_matrix (const ColorMatrix &matrix, const BlackWhite &range, int max);
/* The arguments of kernels/colormatrix/matrix.clh for YUV: rows for Y, U and V. */
ColorPlan plan_yuv_matrix (const ColorMatrix &matrix, const YuvColors &colors, int max);

}  // namespace gst::cl
