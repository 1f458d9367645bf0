/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include <cstdlib>

#include "../../reference/common.hpp"

namespace ref {

/* The samples across a line: p(0) and p(1) before it, in order of distance, q(0) after it. */
using Side = std::function<int (int i)>;

static int
correction (const Side &p, const Side &q, int block, int limit)
{
  const int s = q (0) - p (0);
  const int e = 3 * s - (q (1) - p (1));
  int m = 0;
  if ((s > 0 && e > 0) || (s < 0 && e < 0))
    m = std::min (2 * std::abs (s), std::abs (e));
  int a = 0;
  for (int i = 0; i < (block == 2 ? 1 : 3); i++)
    a = std::max ({a, std::abs (p (i + 1) - p (i)), std::abs (q (i + 1) - q (i))});
  const int c = std::max (0, std::min (m, limit - m) - 2 * a);
  return s < 0 ? -c : c;
}

/* The factor of the correction for the i-th sample from the line, in 32nds; 0 beyond its reach. */
static int
tap (int i, int block)
{
  static const int large[] = {7, 4, 1}, four[] = {6, 2}, two[] = {4};
  if (block >= 8)
    return i < 3 ? large[i] : 0;
  if (block == 4)
    return i < 2 ? four[i] : 0;
  return i < 1 ? two[i] : 0;
}

/* Filters across the lines between columns or rows. */
static Component
smoothed (const Component &in, bool columns, int block, int offset, int limit, const Border &border, int max)
{
  const Around source{in, border, max};
  Component out = in;
  const int length = columns ? in.width : in.height, lines = columns ? in.height : in.width;
  for (int line = 0; line < lines; line++)
    for (int edge = 1; edge < length; edge++) {
      if ((edge - offset) % block != 0)
        continue;
      auto at = [&] (int i) { return columns ? source (i, line) : source (line, i); };
      const Side p = [&] (int i) { return at (edge - 1 - i); }, q = [&] (int i) { return at (edge + i); };
      const int c = correction (p, q, block, limit);
      auto change = [&] (int i, double by) {
        if (i >= 0 && i < length)
          (columns ? out.at (i, line) : out.at (line, i)) = round_to_sample (at (i) + by, max);
      };
      for (int i = 0; tap (i, block); i++) {
        change (edge - 1 - i, tap (i, block) * c / 32.0);
        change (edge + i, -tap (i, block) * c / 32.0);
      }
    }
  return out;
}

Picture
deblock (const Picture &in, const Deblock &settings, const Border &border)
{
  Picture out = in;
  const int limit = round_to_sample (settings.strength * in.max (), in.max ());
  for (Component &component : out.components) {
    const int width = std::max (settings.block_size / component.sub_x, 2);
    const int height = std::max (settings.block_size / component.sub_y, 2);
    const int left = settings.offset_x / component.sub_x % width, top = settings.offset_y / component.sub_y % height;
    component = smoothed (component, true, width, left, limit, border, in.max ());
    component = smoothed (component, false, height, top, limit, border, in.max ());
  }
  return out;
}

}  // namespace ref
