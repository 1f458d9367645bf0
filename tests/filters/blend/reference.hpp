/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Combines several pictures of one format and size into one. */
#pragma once

#include "../../reference/picture.hpp"

namespace ref {

struct Blend {
  enum Mode { Add, Average, Difference, Multiply, Lighten, Darken };

  Mode mode = Add;
  double bias = 0;             /* of full scale */
  std::vector<double> weights; /* one for each picture */
};

Picture blend (const std::vector<Picture> &pictures, const Blend &settings);

}  // namespace ref
