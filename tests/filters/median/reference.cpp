/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../reference/common.hpp"

namespace ref {

Picture
median (const Picture &in, const Median &settings, const Border &border)
{
  const int rx = settings.radius, ry = settings.radius_y < 0 ? rx : settings.radius_y;
  const int n = (2 * rx + 1) * (2 * ry + 1);
  const int rank = (int) std::floor (settings.percentile * (n - 1) + 0.5);
  const int constant = round_to_sample (border.value * in.max (), in.max ());

  Picture out = in;
  std::vector<int> window;
  for (Component &component : out.components) {
    const Component source = component;
    auto get = [&] (int x, int y) { return source.at (x, y); };
    for (int y = 0; y < source.height; y++)
      for (int x = 0; x < source.width; x++) {
        window.clear ();
        for (int j = -ry; j <= ry; j++)
          for (int i = -rx; i <= rx; i++)
            window.push_back (sample (x + i, y + j, source.width, source.height, border, get, constant));
        std::nth_element (window.begin (), window.begin () + rank, window.end ());
        const int found = window[rank];
        if (settings.threshold == 0 || std::abs (source.at (x, y) - found) > settings.threshold * in.max ())
          component.at (x, y) = found;
      }
  }
  return out;
}

}  // namespace ref
