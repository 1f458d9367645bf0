/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include <cmath>
#include <vector>

#include "../../reference/common.hpp"

namespace ref {

/* A component in values of 0 .. 1 with its surroundings, so that the loops below need no border rule. */
class Surrounded {
public:
  Surrounded (const Component &in, const Border &border, int max, int margin)
      : margin (margin), stride (in.width + 2 * margin), value ((size_t) stride * (in.height + 2 * margin))
  {
    const int constant = round_to_sample (border.value * max, max);
    auto get = [&] (int x, int y) { return in.at (x, y); };
    for (int y = -margin; y < in.height + margin; y++)
      for (int x = -margin; x < in.width + margin; x++)
        value[index (x, y)] = (double) sample (x, y, in.width, in.height, border, get, constant) / max;
  }

  double at (int x, int y) const { return value[index (x, y)]; }

private:
  size_t index (int x, int y) const { return (size_t) (y + margin) * stride + x + margin; }

  int margin, stride;
  std::vector<double> value;
};

/* The mean squared difference of the patches around (x, y) and (u, v). */
static double
patch_difference (const Surrounded &in, int x, int y, int u, int v, int radius)
{
  double sum = 0;
  for (int j = -radius; j <= radius; j++)
    for (int i = -radius; i <= radius; i++) {
      const double d = in.at (x + i, y + j) - in.at (u + i, v + j);
      sum += d * d;
    }
  return sum / ((2 * radius + 1) * (2 * radius + 1));
}

static double
filtered (const Surrounded &in, int x, int y, const NlMeans &settings)
{
  const double h = settings.strength;
  double sum = 0, weights = 0;
  for (int v = y - settings.search_radius; v <= y + settings.search_radius; v++)
    for (int u = x - settings.search_radius; u <= x + settings.search_radius; u++) {
      const double weight = std::exp (-patch_difference (in, x, y, u, v, settings.patch_radius) / (h * h));
      sum += weight * in.at (u, v);
      weights += weight;
    }
  return sum / weights;
}

Picture
nlmeans (const Picture &in, const NlMeans &settings, const Border &border)
{
  Picture out = in;
  if (settings.strength == 0)
    return out;
  for (Component &component : out.components) {
    /* in a frame of one row, the second field is empty */
    if (!plane_bit (component.name) || component.value.empty ())
      continue;
    const Surrounded source (component, border, in.max (), settings.patch_radius + settings.search_radius);
    for (int y = 0; y < component.height; y++)
      for (int x = 0; x < component.width; x++)
        component.at (x, y) = round_to_sample (filtered (source, x, y, settings) * in.max (), in.max ());
  }
  return out;
}

}  // namespace ref
