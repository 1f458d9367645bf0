/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <utility>

#include "../../reference/color.hpp"

namespace ref {

struct Adjust {
  double exposure = 0, brightness = 0, contrast = 1, saturation = 1, hue = 0, temperature = 0, tint = 0, shadows = 0,
         highlights = 0, vibrance = 0;
  /* of all channels, red, green and blue */
  std::vector<std::pair<double, double>> curves[4];
};

Picture adjust (const Picture &in, const Adjust &settings);

}  // namespace ref
