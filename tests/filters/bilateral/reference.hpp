/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/border.hpp"

namespace ref {

struct Bilateral {
  enum Distance { Intensity, PerComponent, Color };

  double sigma_space = 3;   /* pixels */
  double sigma_range = 0.1; /* of full scale */
  int radius = 0;           /* 0: ceil (2 * sigma_space) */
  Distance distance = Intensity;
  bool circle = false;
};

Picture bilateral (const Picture &in, const Bilateral &settings, const Border &border);

}  // namespace ref
