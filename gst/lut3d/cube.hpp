/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the colour look-up tables of .cube files. */
#pragma once

#include "filter/operation.hpp"

#include <array>
#include <cstdint>

namespace gst::cl {

/** A table of colours: curves for red, green and blue, a cube, or curves whose results go into a cube. */
struct Cube {
  static constexpr int largest_curve = 65536, largest_cube = 129;

  /** Entries of a curve, or along an edge of the cube, at least 2; 0 if there is none. */
  int curve_size = 0, cube_size = 0;
  /** The inputs of the first and the last entries: red, green, blue. */
  std::array<float, 3> curve_low{0, 0, 0}, curve_high{1, 1, 1}, cube_low{0, 0, 0}, cube_high{1, 1, 1};
  /** Entries of red, green, blue and padding. In the cube red changes fastest, blue slowest. */
  std::vector<float> curve, cube;
};

/** Reads a file's content according to Adobe's Cube LUT Specification 1.0, with Resolve's additions: curves before a cube,
 *  LUT_1D_INPUT_RANGE, LUT_3D_INPUT_RANGE, LUT_IN_VIDEO_RANGE and LUT_OUT_VIDEO_RANGE. Other lines of text are skipped. Throws
 *  Failure (RESOURCE, SETTINGS), which names the file, the line and the expected content. */
Cube parse_cube (std::string content, const std::string &name);

/** Like parse_cube(), from a path. The file is read once for all users, and again when it changes. Throws Failure.
 *  Thread-safe. */
std::shared_ptr<const Cube> load_cube (const std::string &path);

/** The cube for kernels/lut3d/halves.clh; empty if it is too large, or if an entry is outside -2 .. 2. */
std::vector<std::uint16_t> halves_of (const Cube &cube);

}  // namespace gst::cl
