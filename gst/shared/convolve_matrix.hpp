/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses the matrix of a convolution, or makes it from a preset. */
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gst::cl {

struct ConvolveMatrix {
  static constexpr int max_side = 31;

  int width = 0;
  int height = 0;
  std::vector<double> taps; /* row by row */

  double at (int column, int row) const { return taps[static_cast<std::size_t> (row) * width + column]; }
};

/* In the order of the element's enum. */
enum class ConvolvePreset { identity, edge, sharpen, emboss, gaussian3, gaussian5, box3, box5, laplacian4, laplacian8 };

struct ConvolveParse {
  std::optional<ConvolveMatrix> matrix;
  std::string error; /* if there is no matrix: the wrong token, its position, and the expected ones */
};

/* Rows separated by `;`, taps by spaces or commas; real numbers in the C locale. */
ConvolveParse convolve_parse_matrix (std::string_view text);

ConvolveMatrix convolve_preset_matrix (ConvolvePreset preset);

}  // namespace gst::cl
