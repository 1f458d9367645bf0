/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Computes where the pixels of a warped picture come from. */
#pragma once

#include "filter/operation.hpp"

#include <algorithm>
#include <array>

namespace gst::cl {

/** A source point for each pixel of the result, read from a file. */
struct PointMap {
  std::string path;
  /** x and y of each point, row by row. */
  std::vector<float> points;
};

/** Reads a file of points: float32, little endian. The file is read once for all users, and again when it changes. Throws
 *  Failure. Thread-safe. */
std::shared_ptr<const PointMap> load_map (const std::string &path);

/** Throws Failure if the map is not for frames of this size. */
void check_map (const PointMap &map, int width, int height);

/** In the order of the element's enum. */
enum class WarpInterpolation : int { nearest, bilinear, bicubic, lanczos };

struct WarpSettings {
  std::string matrix, undistort, map;
  WarpInterpolation interpolation = WarpInterpolation::bilinear;
};

/** Maps a point of the result to a point of the input: each step takes the result of the step before. Integer coordinates are
 *  centres of pixels. */
struct Warp {
  std::array<double, 9> matrix{1, 0, 0, 0, 1, 0, 0, 0, 1};
  /** fx fy cx cy, k1 k2 p1 p2 k3 k4 k5 k6; all 0 without a lens. */
  std::array<double, 12> lens{};
  std::shared_ptr<const PointMap> map;

  bool has_matrix () const;
  bool has_lens () const
  {
    return std::any_of (lens.begin () + 4, lens.end (), [] (double v) { return v != 0; });
  }
  bool is_neutral () const { return !has_matrix () && !has_lens () && !map; }
  /** The matrix, with the sign that puts the middle of a frame of this size in front of the horizon. */
  std::array<double, 9> matrix_for (int width, int height) const;
  /** Moves a point of a frame of this size. Returns false if the point has no source. */
  bool move (double &x, double &y, int width, int height) const;
};

/** Texts must have passed the functions below. Throws Failure if the map file no longer exists. */
Warp warp_of (const WarpSettings &settings);
bool warp_is_neutral (const WarpSettings &settings);
/** Why texts of the properties are not valid. */
std::optional<std::string> warp_matrix_complaint (const std::string &text);
std::optional<std::string> warp_lens_complaint (const std::string &text);
std::optional<std::string> warp_map_complaint (const std::string &text);

}  // namespace gst::cl
