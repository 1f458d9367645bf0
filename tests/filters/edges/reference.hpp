/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/border.hpp"

namespace ref {

/* clprewitt, clsobel and clscharr. */
struct Edges {
  enum Operator { Prewitt, Sobel, Scharr };
  enum Output { Magnitude, L1, X, Y };

  Operator which = Sobel;
  Output output = Magnitude;
  double scale = 1;
  double delta = 0; /* of full scale */
  enum Domain { PerComponent, Intensity, Auto };

  bool is_signed = false;
  Domain domain = PerComponent;
};

Picture edges (const Picture &in, const Edges &settings, const Border &border);

struct Emboss {
  double angle = 45; /* degrees */
  double depth = 1;
  bool gray = false;
};

Picture emboss (const Picture &in, const Emboss &settings, const Border &border);

}  // namespace ref
