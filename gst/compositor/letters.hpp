/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Letters for labels (capitals, digits and a few signs), so that the plugin needs no font library. */
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gst::cl {

/** Of a letter's cell: its own columns and rows, and one of each beside it. */
inline constexpr int cell_width = 6, cell_height = 9;

/** A text's bits, row by row, 1 where there is ink, with a margin around it. */
struct Lettering {
  int width, height;
  std::vector<uint8_t> bits;
};

Lettering letter (const std::string &text);

}  // namespace gst::cl
