/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What references along motion share. */
#pragma once

#include "motion.hpp"

#include <algorithm>

namespace ref::motion {

struct Plane {
  int width = 0, height = 0;
  std::vector<int> value;

  int at (int x, int y) const { return value[std::clamp (y, 0, height - 1) * width + std::clamp (x, 0, width - 1)]; }
};

/* The levels of a picture, the finest first. */
class Pyramid {
public:
  Pyramid (const Picture &picture, const MotionSettings &settings);

  /* Of the finest level, in half pixels. */
  int half (int x, int y) const;
  /* In quarter pixels: coarse levels know whole pixels alone. */
  int quarter (int level, int x, int y) const;

  std::vector<Plane> levels;

private:
  int right_half (int x, int y) const;

  int max;
};

/* A component of another frame at a vector from one of its samples; luma: of planar frames. */
int moved_sample (const Component &component, const Pyramid *luma, int x, int y, const MotionVector &vector);

}  // namespace ref::motion
