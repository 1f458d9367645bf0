/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of a pixel's R'G'B' on any picture. */
#pragma once

#include <array>
#include <functional>

#include "picture.hpp"

namespace ref {

using Color = std::array<double, 3>;

/* How YUV and gray stand for R'G'B'. */
struct ColorSpace {
  bool full = false;        /* YUV of full range */
  double red = 0, blue = 0; /* their weights in luma, where caps say them */
};

/* What f makes of every pixel's red, green and blue, of which 0 is black and 1 white: of YUV a luma sample with the chroma of its
 * place, a chroma sample with the mean luma of its. Alpha stays. */
Picture map_colors (const Picture &in, const ColorSpace &space, const std::function<Color (const Color &)> &f);
/* The same where the result's samples stand for something else. */
Picture map_colors (
    const Picture &in, const ColorSpace &space, const ColorSpace &result, const std::function<Color (const Color &)> &f);

}  // namespace ref
