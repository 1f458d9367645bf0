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

/* roi in numbers, cut to the picture. */
static Rectangle
region_of (const Rectangle &roi, const Picture &picture)
{
  const int right = roi.width ? std::min (roi.x + roi.width, picture.width) : picture.width;
  const int bottom = roi.height ? std::min (roi.y + roi.height, picture.height) : picture.height;
  return {roi.x, roi.y, right - roi.x, bottom - roi.y};
}

static Picture
filter_region (const Picture &in, const Common &common, const Filter &filter, const Rectangle &roi, unsigned frame)
{
  const Rectangle region = region_of (roi, in);
  if (!common.interlaced)
    return filter (in, {common.border, region, frame});
  Picture filtered = in;
  for (const int field : {0, 1}) {
    const int top = (region.y - field + 1) / 2, bottom = (region.y + region.height - field + 1) / 2;
    const Rectangle rows{region.x, top, region.width, bottom - top};
    weave (filtered, filter (field_of (in, field), {common.border, rows, frame, field, 2}), field);
  }
  return filtered;
}

Picture
apply (const Picture &stored, const Common &common, const Filter &filter, unsigned frame)
{
  if (common.mix == 0)
    return stored;
  const Picture in = bounded (stored);
  Picture out = stored;
  for (Component &component : out.components)
    component.filtered.assign (component.value.size (), 0);
  std::vector<Rectangle> all = common.roi;
  if (common.whole_frame)
    all.push_back ({0, 0, 0, 0});
  for (const Rectangle &roi : all)
    merge (out, in, filter_region (in, common, filter, roi, frame), roi, common);
  return out;
}

}  // namespace ref
