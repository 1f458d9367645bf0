/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies functions of R'G'B' to any picture. */
#pragma once

#include <array>
#include <functional>

#include "picture.hpp"

namespace ref {

using Color = std::array<double, 3>;

/* The relation of YUV and gray to R'G'B'. */
struct ColorSpace {
  bool full = false;        /* YUV of full range */
  double red = 0, blue = 0; /* their weights in luma, if the caps name them */
};

/* Applies f to every pixel's red, green and blue, from 0 for black to 1 for white. In YUV, f gets a luma sample with the chroma
 * at its position, or a chroma sample with the mean luma of its block. Alpha does not change. */
Picture map_colors (const Picture &in, const ColorSpace &space, const std::function<Color (const Color &)> &f);
/* Like map_colors (), for a result in another colour space. */
Picture map_colors (
    const Picture &in, const ColorSpace &space, const ColorSpace &result, const std::function<Color (const Color &)> &f);

}  // namespace ref
