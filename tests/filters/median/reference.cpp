/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include "../../reference/common.hpp"

namespace ref {

Picture
median (const Picture &in, const Median &settings, const Border &border)
{
  const int rx = settings.radius, ry = settings.radius_y < 0 ? rx : settings.radius_y;
  const int n = (2 * rx + 1) * (2 * ry + 1);
  const int rank = (int) std::floor (settings.percentile * (n - 1) + 0.5);
  Picture out = in;
  std::vector<int> samples;
  for (Component &component : out.components) {
    const Around source{component, border, in.max ()};
    for (const auto [x, y] : component.places ()) {
      samples.clear ();
      for (const auto [i, j] : window (rx, ry))
        samples.push_back (source (x + i, y + j));
      std::nth_element (samples.begin (), samples.begin () + rank, samples.end ());
      if (settings.threshold == 0 || std::abs (source (x, y) - samples[rank]) > settings.threshold * in.max ())
        component.at (x, y) = samples[rank];
    }
  }
  return out;
}

}  // namespace ref
