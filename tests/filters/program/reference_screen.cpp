/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Follows docs/elements/clprogram.md. */
#include "reference_screen.hpp"

#include "../../reference/common.hpp"
#include "reference.hpp"

namespace ref {

/* The member of Values for a component; null for padding. */
static double Values::*
place_of (char component)
{
  switch (component) {
    case 'r':
    case 'y':
      return &Values::x;
    case 'g':
    case 'u':
      return &Values::y;
    case 'b':
    case 'v':
      return &Values::z;
    case 'a':
      return &Values::w;
    default:
      return nullptr;
  }
}

Values
mix (const Values &a, const Values &b, double share)
{
  return a + (b - a) * share;
}

double
smoothstep (double from, double to, double v)
{
  const double t = std::clamp ((v - from) / (to - from), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

Values
Screen::at (int x, int y) const
{
  Values v;
  x = inside (x, from.width, border.rule);
  y = inside (y, from.height, border.rule);
  for (const Component &c : from.components)
    if (const auto place = place_of (c.name))
      v.*place = x < 0 || y < 0 ? round_to_sample (border.value * from.max (), from.max ()) / (double) from.max ()
                                : c.at (x / c.sub_x, y / c.sub_y) / (double) from.max ();
  if (from.components.size () == 1)
    v.y = v.z = v.x;
  return v;
}

Values
Screen::between (double x, double y) const
{
  const int left = (int) std::floor (x), top = (int) std::floor (y);
  const Values above = mix (at (left, top), at (left + 1, top), x - left);
  const Values below = mix (at (left, top + 1), at (left + 1, top + 1), x - left);
  return mix (above, below, y - top);
}

Values
Screen::to_rgb (const Values &v) const
{
  if (!is_yuv ())
    return v;
  const double unit = (1 << (from.layout->depth - 8)) / (double) from.max ();
  const double y = (v.x - 16 * unit) / (219 * unit);
  const double u = (v.y - 128 * unit) / (224 * unit), w = (v.z - 128 * unit) / (224 * unit);
  const double r = y + 1.402 * w, b = y + 1.772 * u;
  return {r, (y - 0.299 * r - 0.114 * b) / 0.587, b, v.w};
}

Values
Screen::from_rgb (const Values &v) const
{
  if (from.components.size () == 1)
    return {v.light (), v.light (), v.light (), v.w};
  if (!is_yuv ())
    return v;
  const double unit = (1 << (from.layout->depth - 8)) / (double) from.max ();
  const double y = 0.299 * v.x + 0.587 * v.y + 0.114 * v.z;
  const double u = (v.z - y) / 1.772, w = (v.x - y) / 1.402;
  return {(16 + 219 * y) * unit, (128 + 224 * u) * unit, (128 + 224 * w) * unit, v.w};
}

double
Screen::intensity (const Values &v) const
{
  return from.is_rgb () ? v.light () : v.x;
}

Picture
paint (const Picture &like, const std::function<Values (int, int)> &pixel)
{
  std::vector<Values> all;
  for (const auto [x, y] : Places{like.width, like.height})
    all.push_back (pixel (x, y));
  Picture out = like;
  for (Component &c : out.components)
    if (const auto place = place_of (c.name)) {
      std::vector<int> pixels;
      for (const Values &each : all)
        pixels.push_back (round_to_sample (each.*place * like.max (), like.max ()));
      from_full_resolution (like, c, pixels);
    }
  return out;
}

}  // namespace ref
