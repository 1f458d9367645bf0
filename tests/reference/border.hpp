/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples outside a frame: the definition of every border rule, step by step. */
#pragma once

#include "picture.hpp"

namespace ref {

struct Border {
  enum Rule { Replicate, Reflect, Reflect101, Wrap, Constant };

  Rule rule = Replicate;
  double value = 0; /* of full scale, for Constant */
};

/* The index in 0 .. n - 1 that replaces i: folds i until it is inside. -1 for the constant. */
inline int
inside (int i, int n, Border::Rule rule)
{
  while (i < 0 || i >= n) {
    switch (rule) {
      case Border::Replicate:
        i = i < 0 ? 0 : n - 1;
        break;
      case Border::Reflect:
        i = i < 0 ? -i - 1 : 2 * n - 1 - i;
        break;
      case Border::Reflect101:
        if (n == 1)
          return 0;
        i = i < 0 ? -i : 2 * n - 2 - i;
        break;
      case Border::Wrap:
        i = i < 0 ? i + n : i - n;
        break;
      case Border::Constant:
        return -1;
    }
  }
  return i;
}

/* Returns `get` for (x, y), or for the position that replaces it outside the frame. */
template <typename Get>
auto
sample (int x, int y, int width, int height, const Border &border, Get get, decltype (get (0, 0)) constant)
{
  x = inside (x, width, border.rule);
  y = inside (y, height, border.rule);
  return x < 0 || y < 0 ? constant : get (x, y);
}

}  // namespace ref
