/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

namespace ref {

Picture
levels (const Picture &in, const Levels &set)
{
  Picture out = in;
  if (set.black == set.white)
    return out;
  const int black = set.full ? 0 : in.black (), white = set.full ? in.max () : in.white ();
  for (size_t c = 0; c < out.components.size (); c++) {
    if (out.components[c].name == 'x' || (c > 0 && !in.is_rgb ()))
      continue;
    for (int &v : out.components[c].value) {
      const double x = ((double) (v - black) / (white - black) - set.black) / (set.white - set.black);
      v = round_to_sample (black + (white - black) * std::pow (std::clamp (x, 0.0, 1.0), 1 / set.gamma), in.max ());
    }
  }
  return out;
}

Points
percentiles (const Picture &in, double clip, const Rectangle &region)
{
  const Component intensity = intensity_of (in);
  const int max = in.max ();
  std::vector<long> count (max + 1), cdf (max + 1);
  for (const auto [x, y] : places_of (region))
    count[intensity.at (x, y)]++;
  for (int v = 0; v <= max; v++)
    cdf[v] = count[v] + (v ? cdf[v - 1] : 0);
  const long n = (long) region.width * region.height;
  Points points{0, max};
  while (!(cdf[points.black] > clip * n))
    points.black++;
  while (!(n - (points.white ? cdf[points.white - 1] : 0) > clip * n))
    points.white--;
  return points;
}

}  // namespace ref
