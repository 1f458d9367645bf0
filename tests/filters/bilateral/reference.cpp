/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include "../../reference/common.hpp"

namespace ref {

/* The numbers between which the range distance is measured: one for each sample of the filtered component, 0 .. 1. */
using Guide = std::vector<double>;

static Guide
guide_of (const Component &component, double scale)
{
  Guide guide;
  for (const int v : component.value)
    guide.push_back (v * scale);
  return guide;
}

/* The luma for each chroma sample. */
static Guide
luma_guide (const Component &luma, const Component &chroma, double scale)
{
  Guide guide;
  for (const auto [x, y] : chroma.places ())
    guide.push_back (mean_of_block (luma, x, y, chroma.sub_x, chroma.sub_y) * scale);
  return guide;
}

static Guide
intensity_guide (const Picture &in, double scale)
{
  const Component &r = *in.find ('r'), &g = *in.find ('g'), &b = *in.find ('b');
  Guide guide;
  for (size_t i = 0; i < r.value.size (); i++)
    guide.push_back ((0.3 * r.value[i] + 0.59 * g.value[i] + 0.11 * b.value[i]) * scale);
  return guide;
}

/* The distance is Euclidean over all guides of a component. */
static std::vector<Guide>
guides_for (const Picture &in, const Component &component, Bilateral::Distance distance)
{
  const double scale = 1.0 / in.max ();
  if (distance == Bilateral::PerComponent)
    return {guide_of (component, scale)};
  if (!in.is_rgb ())
    return {luma_guide (*in.find ('y'), component, scale)};
  if (distance == Bilateral::Intensity)
    return {intensity_guide (in, scale)};
  std::vector<Guide> guides;
  for (const char name : {'r', 'g', 'b'})
    guides.push_back (guide_of (*in.find (name), scale));
  return guides;
}

static void
filter_component (Component &out, const std::vector<Guide> &guides, const Bilateral &settings, const Border &border, int max)
{
  const Around in{out, border, max};
  const int radius = settings.radius ? settings.radius : (int) std::ceil (2 * settings.sigma_space);
  const double ss = 2 * settings.sigma_space * settings.sigma_space;
  const double sr = 2 * settings.sigma_range * settings.sigma_range;
  for (const auto [x, y] : out.places ()) {
    double sum = 0, weights = 0;
    for (const auto [i, j] : window (radius, radius)) {
      const double d2 = i * i + j * j;
      if (settings.circle && d2 > radius * radius)
        continue;
      double r2 = 0;
      for (const Guide &guide : guides) {
        auto at = [&] (int gx, int gy) { return guide[gy * out.width + gx]; };
        const double there = sample (x + i, y + j, out.width, out.height, border, at, (double) in.constant / max);
        r2 += (there - at (x, y)) * (there - at (x, y));
      }
      const double weight = std::exp (-d2 / ss) * std::exp (-r2 / sr);
      sum += weight * in (x + i, y + j);
      weights += weight;
    }
    out.at (x, y) = round_to_sample (sum / weights, max);
  }
}

Picture
bilateral (const Picture &in, const Bilateral &settings, const Border &border)
{
  Picture out = in;
  if (settings.sigma_space == 0 || settings.sigma_range == 0)
    return out;
  for (Component &component : out.components)
    if (plane_bit (component.name))
      filter_component (component, guides_for (in, component, settings.distance), settings, border, in.max ());
  return out;
}

}  // namespace ref
