/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include "../../reference/common.hpp"

namespace ref {

/* A component in values of 0 .. 1 with its surroundings, so that the loops below need no border rule. */
class Surrounded {
public:
  Surrounded (const Component &in, const Border &border, int max, int margin)
      : margin (margin), stride (in.width + 2 * margin), value ((size_t) stride * (in.height + 2 * margin))
  {
    const Around source{in, border, max};
    for (const auto [x, y] : Places{in.width + 2 * margin, in.height + 2 * margin, -margin, -margin})
      value[index (x, y)] = (double) source (x, y) / max;
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
  for (const auto [i, j] : window (radius, radius))
    sum += std::pow (in.at (x + i, y + j) - in.at (u + i, v + j), 2);
  return sum / ((2 * radius + 1) * (2 * radius + 1));
}

static double
filtered (const Surrounded &in, int x, int y, const NlMeans &settings)
{
  const double h = settings.strength;
  double sum = 0, weights = 0;
  for (const auto [i, j] : window (settings.search_radius, settings.search_radius)) {
    const double weight = std::exp (-patch_difference (in, x, y, x + i, y + j, settings.patch_radius) / (h * h));
    sum += weight * in.at (x + i, y + j);
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
    for (const auto [x, y] : component.places ())
      component.at (x, y) = round_to_sample (filtered (source, x, y, settings) * in.max (), in.max ());
  }
  return out;
}

}  // namespace ref
