/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inputs of clprogram's kernels, and how their results are stored. */
#pragma once

#include "../../reference/border.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace ref {

/* The component at full resolution; each pixel has the sample of its block. */
inline std::vector<int>
at_full_resolution (const Picture &picture, const Component &component)
{
  std::vector<int> pixels;
  for (const auto [x, y] : Places{picture.width, picture.height})
    pixels.push_back (component.at (x / component.sub_x, std::min (y / component.sub_y, component.height - 1)));
  return pixels;
}

/* The reverse: means of blocks, rounded half to even. */
inline void
from_full_resolution (const Picture &picture, Component &component, const std::vector<int> &pixels)
{
  const Component whole{.width = picture.width, .height = picture.height, .value = pixels};
  for (const auto [x, y] : component.places ())
    component.at (x, y) = (int) std::nearbyint (mean_of_block (whole, x, y, component.sub_x, component.sub_y));
}

/* Copies each pixel from its neighbour dx to the right and dy down, in the pixel scope or sample by sample in the component
 * scope, and applies `change` to values 0 .. max. */
inline Picture
shifted (const Picture &picture, int dx, int dy, bool whole_pixels, const Border &border,
    const std::function<int (int value, int max)> &change)
{
  Picture result = picture;
  const int max = picture.max (), outside = (int) std::nearbyint (border.value * max);
  for (size_t c = 0; c < picture.components.size (); c++) {
    const Component &from = picture.components[c];
    const int width = whole_pixels ? picture.width : from.width, height = whole_pixels ? picture.height : from.height;
    const std::vector<int> values = whole_pixels ? at_full_resolution (picture, from) : from.value;
    const auto get = [&] (int i, int j) { return values[j * width + i]; };
    std::vector<int> out;
    for (const auto [x, y] : Places{width, height})
      out.push_back (change (sample (x + dx, y + dy, width, height, border, get, outside), max));
    if (whole_pixels)
      from_full_resolution (picture, result.components[c], out);
    else
      result.components[c].value = out;
  }
  return result;
}

}  // namespace ref
