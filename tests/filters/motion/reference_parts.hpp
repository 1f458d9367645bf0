/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the references that use motion. */
#pragma once

#include "reference.hpp"

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

  /* Position in half pixels of the finest level. */
  int half (int x, int y) const { return changed (halves.at (x + margin, y + margin)); }
  /* Position in quarter pixels; coarse levels use only whole pixels. */
  int quarter (int level, int x, int y) const;

  std::vector<Plane> levels;
  /* What is done to all samples that are read by position. */
  struct Change {
    long gain = 256, from = 0, to = 0;

    bool operator== (const Change &) const = default;
  } change;

private:
  friend void match (Pyramid &a, Pyramid &b);
  int changed (long v) const
  {
    return int (std::clamp ((((v - change.from) * change.gain + 128) >> 8) + change.to, 0l, long (max)));
  }
  int right_half (int x, int y) const;
  int interpolated (int x, int y) const;

  int max;
  /* Half pixels from `margin` outside the picture on; those farther outside equal them. */
  static constexpr int margin = 8;
  Plane halves;
};

/* Makes the picture of more contrast as bright as the other in a fade. */
void match (Pyramid &a, Pyramid &b);

/* A component's sample in another frame, displaced by a vector; luma: for planar frames. */
int moved_sample (const Component &component, const Pyramid *luma, int x, int y, const MotionVector &vector);

}  // namespace ref::motion
