/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colour matrices: turns a string or a preset into numbers that a kernel multiplies without visible rounding errors. */
#pragma once

#include "shared/range.hpp"

#include <array>
#include <optional>
#include <string>

namespace gst::cl {

/* Rows for red, green and blue of the result: factors of red, green and blue, and an offset of full scale. */
using ColorMatrix = std::array<std::array<double, 4>, 3>;

/* In the order of the element's enum. */
enum class ColorPreset { none, grayscale, sepia, invert };

ColorMatrix color_preset_matrix (ColorPreset preset);
bool color_matrix_is_identity (const ColorMatrix &matrix);

struct ColorParse {
  std::optional<ColorMatrix> matrix;
  std::string error; /* if there is no matrix: what is wrong, and where */
};

/* 3 rows by `;` of 4 numbers by spaces or commas. */
ColorParse parse_color_matrix (const std::string &text);

/* What kernels multiply by. */
struct ColorPlan {
  bool fixed_point;
  /* Factors and offset of each sample of the result; integers where fixed_point. */
  std::array<std::array<double, 4>, 3> rows;
  double divisor;
};

/* order: which of red, green and blue (0, 1, 2) each of a pixel's samples is. */
ColorPlan plan_color_matrix (const ColorMatrix &matrix, const std::array<int, 3> &order, int max);
/* The one sample stands for all three, and becomes the intensity of the result. */
ColorPlan plan_gray_matrix (const ColorMatrix &matrix, const BlackWhite &range, int max);
/* What kernels/colormatrix/matrix.clh takes of YUV: rows for Y, U and V. */
ColorPlan plan_yuv_matrix (const ColorMatrix &matrix, const YuvColors &colors, int max);

}  // namespace gst::cl
