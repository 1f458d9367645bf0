/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common.hpp"

#include <algorithm>
#include <cmath>

namespace ref {

int
round_to_sample (double v, int max)
{
  /* nearbyint follows the rounding mode, which is half to even unless somebody changed it. */
  return (int) std::clamp (std::nearbyint (v), 0.0, (double) max);
}

unsigned
plane_bit (char component)
{
  switch (component) {
    case 'r':
    case 'y':
      return 1;
    case 'g':
    case 'u':
      return 2;
    case 'b':
    case 'v':
      return 4;
    case 'a':
      return 8;
    default:
      return 0;
  }
}

/* The samples of a component that a rectangle of the frame touches, cut to the frame. */
static Rectangle
samples_of (const Rectangle &roi, const Picture &picture, const Component &component)
{
  const int right = roi.width ? std::min (roi.x + roi.width, picture.width) : picture.width;
  const int bottom = roi.height ? std::min (roi.y + roi.height, picture.height) : picture.height;
  const int x0 = roi.x / component.sub_x, y0 = roi.y / component.sub_y;
  const int x1 = (right + component.sub_x - 1) / component.sub_x;
  const int y1 = (bottom + component.sub_y - 1) / component.sub_y;
  return {x0, y0, x1 - x0, y1 - y0};
}

static void
merge (Picture &out, const Picture &in, const Picture &filtered, const Rectangle &roi, const Common &common)
{
  for (size_t c = 0; c < in.components.size (); c++) {
    const Component &from = in.components[c];
    Component &to = out.components[c];
    if (!(plane_bit (from.name) & common.planes))
      continue;
    const Rectangle r = samples_of (roi, in, from);
    for (int y = r.y; y < r.y + r.height; y++)
      for (int x = r.x; x < r.x + r.width; x++) {
        const double a = from.at (x, y), b = filtered.components[c].at (x, y);
        to.at (x, y) = round_to_sample (a + common.mix * (b - a), in.max ());
        to.spare[y * to.width + x] = 0;
        to.filtered[y * to.width + x] = 1;
      }
  }
}

Picture
apply (const Picture &in, const Common &common, const Filter &filter)
{
  if (common.mix == 0)
    return in;

  Picture filtered = in;
  if (common.interlaced) {
    for (const int field : {0, 1})
      weave (filtered, filter (field_of (in, field)), field);
  } else {
    filtered = filter (in);
  }

  Picture out = in;
  for (Component &component : out.components)
    component.filtered.assign (component.value.size (), 0);
  if (common.whole_frame)
    merge (out, in, filtered, {0, 0, 0, 0}, common);
  for (const Rectangle &roi : common.roi)
    merge (out, in, filtered, roi, common);
  return out;
}

}  // namespace ref
