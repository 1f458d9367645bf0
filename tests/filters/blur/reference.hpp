/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/common.hpp"

namespace ref {

struct Blur {
  enum Type { Gaussian, Box };

  Type type = Gaussian;
  double sigma = 2;
  int radius = 0; /* 0: ceil (3 * sigma), or 2 for the box */
};

Picture blur (const Picture &in, const Blur &settings, const Border &border);

struct Sharpen {
  enum Method { Unsharp, Laplacian };

  Method method = Unsharp;
  double amount = 1, sigma = 1;
  double threshold = 0; /* of full scale */
};

Picture sharpen (const Picture &in, const Sharpen &settings, const Border &border);

}  // namespace ref

namespace test {
struct Settings;
Settings blur_with (const ref::Blur &set);
}  // namespace test
