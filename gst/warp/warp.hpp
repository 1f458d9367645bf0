/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where pixels of a warped picture come from. */
#pragma once

#include "filter/operation.hpp"

#include <algorithm>
#include <array>

namespace gst::cl {

/** A point of the picture that came in for each pixel of the result, as a file has them. */
struct PointMap {
  std::string path;
  /** x, y, row by row. */
  std::vector<float> points;
};

/** Reads a file of such points: float32, little endian. Once for all who ask while it is unchanged. Throws Failure. Any thread. */
std::shared_ptr<const PointMap> load_map (const std::string &path);

/** Throws Failure where the file is not one for frames of that size. */
void check_map (const PointMap &map, int width, int height);

/** In the order of the element's properties. */
enum WarpProperty : unsigned { WARP_MATRIX, WARP_UNDISTORT, WARP_MAP, WARP_INTERPOLATION };

/** In the order of the element's enum. */
enum class WarpInterpolation : int { nearest, bilinear, bicubic, lanczos };

/** The way of a point of the result to one of the picture that came in: each step takes what the one before gave. Integer
 *  coordinates are centres of pixels. */
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
  /** With its sign so that the middle of a frame of that size is in front of the horizon. */
  std::array<double, 9> matrix_for (int width, int height) const;
  /** Moves a point of a frame of that size. False if it comes from nowhere. */
  bool move (double &x, double &y, int width, int height) const;
};

/** Of texts past warp_complaint(). Throws Failure where the map is no longer there. */
Warp warp_of (const Values &values);
bool warp_is_neutral (const Values &values);
/** As FilterDescription::complaint. */
std::optional<std::string> warp_complaint (unsigned i, const std::string &text);

std::unique_ptr<Operation> make_warp_operation ();

}  // namespace gst::cl
