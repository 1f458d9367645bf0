/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clstabilize's warp in real numbers: applies a known correction to a frame. */
#pragma once

#include "../../reference/border.hpp"

namespace ref {

struct Correction {
  double x = 0, y = 0; /* pixels */
  double angle = 0;    /* degrees, clockwise */
};

struct Stabilize {
  double crop = 0;
  Border border;
  bool cosited = false; /* whether chroma is at the left luma sample of its pair, or otherwise between them */
  bool interlaced = false;
};

Picture stabilized (const Picture &in, const Correction &correction, const Stabilize &settings);

}  // namespace ref
