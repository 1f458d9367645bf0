/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common.hpp"

#include <string_view>

namespace ref {

unsigned
plane_bit (char component)
{
  constexpr std::string_view of_each_bit = "rygubva"; /* red and luma, and so on */
  const size_t at = of_each_bit.find (component);
  return at == of_each_bit.npos ? 0 : 1 << at / 2;
}

/* The samples of a component that a rectangle touches, in a frame or field of this many rows. */
static Rectangle
samples_of (const Rectangle &region, const Component &component)
{
  const int x0 = region.x / component.sub_x, y0 = region.y / component.sub_y;
  const int x1 = (region.x + region.width + component.sub_x - 1) / component.sub_x;
  const int y1 = (region.y + region.height + component.sub_y - 1) / component.sub_y;
  return {x0, y0, x1 - x0, y1 - y0};
}

/* The rows of a rectangle that belong to one of two fields. */
static Rectangle
rows_of (const Rectangle &region, int field)
{
  const int top = (region.y - field + 1) / 2, bottom = (region.y + region.height - field + 1) / 2;
  return {region.x, top, region.width, bottom - top};
}

static bool
is_weighed (const Common &common)
{
  return common.ellipse || common.inverted || common.feather > 0 || common.expand != 0;
}

static Rectangle
expanded (const Rectangle &r, double by)
{
  const int x = int (std::ceil (r.width * by / 2 - 1e-6)), y = int (std::ceil (r.height * by / 2 - 1e-6));
  return {r.x - x, r.y - y, r.width + 2 * x, r.height + 2 * y};
}

/* The weight of a point in a region. */
static double
weight_at (const Common &common, const Rectangle &r, double x, double y)
{
  const double half_x = r.width / 2.0, half_y = r.height / 2.0, least = std::min (half_x, half_y);
  const double dx = std::abs (x - r.x - half_x), dy = std::abs (y - r.y - half_y);
  const double square = dx * dx / (half_x * half_x) + dy * dy / (half_y * half_y);
  /* edges include positions that rounding has moved slightly outside */
  const double depth = common.ellipse ? (1 - std::sqrt (square)) * least : std::min (half_x - dx, half_y - dy);
  if (common.feather == 0)
    return depth >= -1e-9;
  return std::clamp (depth / (common.feather * least), 0.0, 1.0);
}

double
weight_of (const Common &common, const Component &component, int x, int y, int width, int height, int field)
{
  if (!is_weighed (common))
    return 1;
  const int step = common.interlaced ? 2 : 1;
  const int left = x * component.sub_x, right = std::min (left + component.sub_x, width) - 1;
  const int top = y * component.sub_y, bottom = std::min (top + component.sub_y, height) - 1;
  double largest = 0;
  for (const Rectangle &roi : common.roi) {
    const Rectangle r = expanded (roi, common.expand);
    if (common.interlaced && rows_of (r, field).height <= 0)
      continue;
    if (common.feather > 0) {
      largest = std::max (largest, weight_at (common, r, (left + right + 1) / 2.0, (top + bottom) / 2.0 * step + field + 0.5));
      continue;
    }
    double most = 0, least = 1;
    for (const auto [i, j] : Places{right + 1 - left, bottom + 1 - top, left, top}) {
      const double one = weight_at (common, r, i + 0.5, j * step + field + 0.5);
      most = std::max (most, one);
      least = std::min (least, one);
    }
    largest = std::max (largest, common.inverted ? least : most);
  }
  return common.inverted ? 1 - largest : largest;
}

static void
merge (Picture &out, const Picture &in, const Picture &filtered, const Rectangle &region, const Common &common, int field = 0)
{
  const int step = common.interlaced ? 2 : 1;
  for (size_t c = 0; c < in.components.size (); c++) {
    const Component &from = in.components[c];
    Component &to = out.components[c];
    if (!(plane_bit (from.name) & common.planes))
      continue;
    const Rectangle r = samples_of (region, from);
    const int rows = (in.height + step - 1 - field) / step;
    for (const auto [x, row] : places_of (r)) {
      const int y = step * row + field;
      const double weight = y < from.height ? weight_of (common, from, x, row, in.width, rows, field) : 0;
      if (weight == 0)
        continue;
      const double a = from.at (x, y), b = filtered.components[c].at (x, y);
      to.at (x, y) = round_to_sample (a + common.mix * weight * (b - a), in.max ());
      to.spare[y * to.width + x] = 0;
      to.filtered[y * to.width + x] = 1;
    }
  }
}

/* The region of interest, clipped to the picture. */
static Rectangle
region_of (const Rectangle &roi, const Picture &picture)
{
  const int right = roi.width ? std::min (roi.x + roi.width, picture.width) : picture.width;
  const int bottom = roi.height ? std::min (roi.y + roi.height, picture.height) : picture.height;
  const int left = std::max (roi.x, 0), top = std::max (roi.y, 0);
  return {left, top, right - left, bottom - top};
}

static void
filter_region (
    Picture &out, const Picture &in, const Common &common, const Filter &filter, const Rectangle &region, unsigned frame)
{
  if (!common.interlaced)
    return merge (out, in, filter (in, {common.border, region, frame}), region, common);
  for (const int field : {0, 1}) {
    const Rectangle rows = rows_of (region, field);
    if (rows.height <= 0)
      continue;
    Picture filtered = in;
    weave (filtered, filter (field_of (in, field), {common.border, rows, frame, field, 2}), field);
    merge (out, in, filtered, rows, common, field);
  }
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
  std::vector<Rectangle> all = is_weighed (common) ? std::vector<Rectangle>{} : common.roi;
  if (common.whole_frame || is_weighed (common))
    all.push_back ({0, 0, 0, 0});
  for (const Rectangle &roi : all)
    filter_region (out, in, common, filter, region_of (roi, in), frame);
  return out;
}

}  // namespace ref
