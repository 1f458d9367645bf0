/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include <cmath>
#include <vector>

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

/* The luma for each chroma sample: the mean of its block, without samples outside the frame. */
static Guide
luma_guide (const Component &luma, const Component &chroma, double scale)
{
  Guide guide;
  for (int y = 0; y < chroma.height; y++)
    for (int x = 0; x < chroma.width; x++) {
      double sum = 0;
      int count = 0;
      for (int j = y * chroma.sub_y; j < (y + 1) * chroma.sub_y && j < luma.height; j++)
        for (int i = x * chroma.sub_x; i < (x + 1) * chroma.sub_x && i < luma.width; i++) {
          sum += luma.at (i, j);
          count++;
        }
      guide.push_back (sum / count * scale);
    }
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
  const Component in = out;
  const int radius = settings.radius ? settings.radius : (int) std::ceil (2 * settings.sigma_space);
  const double ss = 2 * settings.sigma_space * settings.sigma_space;
  const double sr = 2 * settings.sigma_range * settings.sigma_range;
  const int constant = round_to_sample (border.value * max, max);
  auto get = [&] (int x, int y) { return (double) in.at (x, y); };

  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++) {
      double sum = 0, weights = 0;
      for (int j = -radius; j <= radius; j++)
        for (int i = -radius; i <= radius; i++) {
          const double d2 = i * i + j * j;
          if (settings.circle && d2 > radius * radius)
            continue;
          double r2 = 0;
          for (const Guide &guide : guides) {
            auto at = [&] (int gx, int gy) { return guide[gy * in.width + gx]; };
            const double there = sample (x + i, y + j, in.width, in.height, border, at, (double) constant / max);
            r2 += (there - at (x, y)) * (there - at (x, y));
          }
          const double weight = std::exp (-d2 / ss) * std::exp (-r2 / sr);
          sum += weight * sample (x + i, y + j, in.width, in.height, border, get, constant);
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
