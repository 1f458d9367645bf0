/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A picture in clprogram's pixel scope: four real numbers per pixel, in every format. */
#pragma once

#include <functional>

#include "../../reference/border.hpp"

namespace ref {

struct Values {
  double x = 0, y = 0, z = 0, w = 1;

  double light () const { return 0.3 * x + 0.59 * y + 0.11 * z; }
  Values operator+ (const Values &b) const { return {x + b.x, y + b.y, z + b.z, w + b.w}; }
  Values operator- (const Values &b) const { return {x - b.x, y - b.y, z - b.z, w - b.w}; }
  Values operator* (double f) const { return {x * f, y * f, z * f, w * f}; }
};

Values mix (const Values &a, const Values &b, double share);
double smoothstep (double from, double to, double v);

class Screen {
public:
  explicit Screen (const Picture &picture, const Border &border = {}) : from (picture), border (border) {}

  Values at (int x, int y) const;
  Values between (double x, double y) const; /* bilinear */

  /* YUV is BT.601 of limited range, the default for small frames; GRAY has only light. */
  Values to_rgb (const Values &v) const;
  Values from_rgb (const Values &v) const;
  double intensity (const Values &v) const;

  int width () const { return from.width; }
  int height () const { return from.height; }

private:
  bool is_yuv () const { return from.find ('y') != nullptr && from.find ('u') != nullptr; }

  const Picture &from;
  const Border border;
};

/* A picture like this one with the pixels that `pixel` returns, rounded and saturated; a chroma sample is the mean of its
 * block. */
Picture paint (const Picture &like, const std::function<Values (int x, int y)> &pixel);

}  // namespace ref
