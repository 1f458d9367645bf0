/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/common.hpp"

namespace ref {

struct Temporal {
  enum Method { Average, Median, Recursive };

  Method method = Average;
  int frames = 5;
  double threshold = 0.1; /* of full scale */
  double strength = 1;
};

/* Filters every frame of a stream. A scene begins if most samples of the components in `planes` differ by more than the
 * threshold. */
std::vector<Picture> temporal (const std::vector<Picture> &stream, const Temporal &settings, unsigned planes = 7);

}  // namespace ref
