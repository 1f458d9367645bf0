/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <array>

#include "../../reference/common.hpp"

namespace ref {

struct Warp {
  std::array<double, 9> matrix{1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::vector<double> lens;        /* fx fy cx cy k1 k2 p1 p2 k3 k4 k5 k6; empty: none */
  std::vector<float> map;          /* x, y for each pixel of a frame; empty: none */
  std::string method = "bilinear"; /* nearest bilinear bicubic lanczos */
  bool cosited_x = false, cosited_y = false;
};

struct Point {
  double x, y;
};

/* The source of a point in a frame of this size; not a number if there is none, if it is behind the horizon, or if it is more
 * than 10^9 pixels away. */
Point source_of (const Warp &warp, Point p, int width, int height);

Picture warp (const Picture &in, const Warp &warp, const Scene &scene);

}  // namespace ref
