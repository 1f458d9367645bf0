/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/common.hpp"

namespace ref {

struct Equalize {
  bool clahe = false;
  bool per_component = false; /* otherwise of luma */
  double strength = 1;
  double clip_limit = 2; /* in multiples of the mean bin, 0: none */
  int tiles_x = 8, tiles_y = 8;
  bool full = false; /* treats luma of limited range as full range */
};

Picture equalize (const Picture &in, const Equalize &settings, const Rectangle &region);

/* Of every pixel: (30 R + 59 G + 11 B) / 100 rounded half to even for RGB, otherwise the luma or the sample. */
Component intensity_of (const Picture &picture);

/* The samples of a component that a rectangle of the frame touches. */
Rectangle on_component (const Rectangle &region, const Component &component);

}  // namespace ref
