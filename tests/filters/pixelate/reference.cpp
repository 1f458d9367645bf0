/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include <map>

namespace ref {

/* The block of the last pixel of sample i; the first block begins `origin` pixels from the picture's edge, or before it. */
static int
block_of (int i, int subsampling, int origin, int size)
{
  return (int) std::floor (double ((i + 1) * subsampling - 1 - origin) / size);
}

static int
rounded_mean (long long sum, long long count)
{
  const long long quotient = sum / count, twice = 2 * (sum % count);
  return int (quotient + (twice > count || (twice == count && quotient % 2 == 1)));
}

Picture
pixelate (const Picture &in, const Pixelate &set, const Rectangle &region)
{
  const int smaller = std::min (region.width, region.height);
  const int size = set.blocks ? std::max (2, (smaller + set.blocks - 1) / set.blocks) : set.size;
  const int left = set.by_region ? region.x : 0, top = set.by_region ? region.y : 0;
  Picture out = in;
  for (Component &c : out.components) {
    struct Total {
      long long sum = 0, count = 0;
    };
    std::map<std::pair<int, int>, Total> totals;
    const auto total_at = [&] (int x, int y) -> Total & {
      return totals[{block_of (x, c.sub_x, left, size), block_of (y, c.sub_y, top, size)}];
    };
    for (const auto [x, y] : c.places ()) {
      Total &total = total_at (x, y);
      total.sum += c.at (x, y);
      total.count++;
    }
    for (const auto [x, y] : c.places ())
      c.at (x, y) = rounded_mean (total_at (x, y).sum, total_at (x, y).count);
  }
  return out;
}

}  // namespace ref
