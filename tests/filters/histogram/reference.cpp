/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include "../equalize/reference.hpp"

namespace ref {

namespace {

/* In the lower left corner, half as wide and a third as high as the region. */
Rectangle
panel_of (const Rectangle &region)
{
  const int width = region.width / 2, height = region.height / 3;
  const int margin = std::min (region.width, region.height) / 24;
  return {region.x + margin, region.y + region.height - margin - height, width, height};
}

/* The curve's height in each column: the square root of the column's greatest bin, relative to the highest bin. */
std::vector<int>
curve_of (const std::vector<unsigned> &bins, int width, int height)
{
  std::vector<unsigned> columns (width);
  for (int x = 0; x < width; x++) {
    const size_t begin = x * bins.size () / width;
    const size_t end = std::max (begin + 1, (x + 1) * bins.size () / width);
    columns[x] = *std::max_element (bins.begin () + begin, bins.begin () + end);
  }
  const double peak = width > 0 ? *std::max_element (columns.begin (), columns.end ()) : 0;
  std::vector<int> curve (width);
  for (int x = 0; x < width && peak > 0; x++)
    while ((double) (curve[x] + 1) * (curve[x] + 1) * peak <= (double) columns[x] * height * height)
      curve[x]++;
  return curve;
}

void
draw (Component &component, const Rectangle &panel, const std::vector<int> *curve, int black, int white)
{
  const int thickness = std::max (1, panel.height / 120);
  for (const auto [x, y] : Places{panel.width, panel.height}) {
    int &v = component.at (panel.x + x, panel.y + y);
    v = black + (int) std::floor ((v - black) / 4.0);
    if (!curve)
      continue;
    const int up = panel.height - 1 - y, own = (*curve)[x];
    const auto begin = curve->begin () + std::max (x - thickness, 0);
    const auto end = curve->begin () + std::min (x + thickness + 1, panel.width);
    const int top = std::max (own, thickness), bottom = std::min (*std::min_element (begin, end), top - thickness);
    if (up >= bottom && up < top)
      v = white;
    else if (up < own)
      v += (white - black) / 4;
  }
}

}  // namespace

std::vector<unsigned>
histogram (const Picture &in, const Component &component, const Rectangle &region, int bins)
{
  std::vector<unsigned> counts (bins);
  for (const auto [x, y] : places_of (on_component (region, component)))
    counts[(size_t) component.at (x, y) * bins / (in.max () + 1)]++;
  return counts;
}

Picture
overlay (const Picture &in, const Overlay &settings, const Scene &scene)
{
  Picture out = in;
  for (Component &component : out.components) {
    if (component.name == 'a' || component.name == 'x')
      continue;
    const Rectangle panel = panel_of (on_component (scene.region, component));
    if (component.is_chroma ()) {
      for (const auto [x, y] : places_of (panel))
        component.at (x, y) = in.neutral ();
      continue;
    }
    const std::vector<int> curve = curve_of (histogram (in, component, scene.region, settings.bins), panel.width, panel.height);
    draw (component, panel, plane_bit (component.name) & settings.components ? &curve : nullptr,
        settings.full ? 0 : in.black (), settings.full ? in.max () : in.white ());
  }
  return out;
}

}  // namespace ref
