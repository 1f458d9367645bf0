/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/common.hpp"

namespace ref {

struct Threshold {
  enum Method { Fixed, Otsu, Mean };
  enum Type { Binary, BinaryInv, Trunc, ToZero, ToZeroInv };

  Method method = Fixed;
  Type type = Binary;
  bool per_component = false;
  double threshold = 0.5; /* of full scale */
  int radius = 7;
  double offset = 0.02; /* of full scale */
  bool full = false;    /* 0 and max are black and white, whatever the range */
};

/* The first t with the greatest variance between values up to t and above; 0 if there is only one value. */
int otsu (const std::vector<unsigned> &histogram);

Picture threshold (const Picture &in, const Threshold &settings, const Scene &scene);

}  // namespace ref
