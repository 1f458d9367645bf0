/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/border.hpp"

namespace ref {

struct Median {
  int radius = 1;
  int radius_y = -1; /* -1: as radius */
  double percentile = 0.5;
  double threshold = 0; /* of full scale */
};

Picture median (const Picture &in, const Median &settings, const Border &border);

}  // namespace ref
