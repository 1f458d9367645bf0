/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include <cmath>

namespace ref {

/* Slopes at the points by Fritsch and Carlson, limited to their circle of radius 3. */
static std::vector<double>
slopes_of (const std::vector<std::pair<double, double>> &points)
{
  const auto secant = [&] (size_t i) {
    return (points[i + 1].second - points[i].second) / (points[i + 1].first - points[i].first);
  };
  const size_t last = points.size () - 1;
  std::vector<double> slopes{secant (0)};
  for (size_t i = 1; i < last; i++)
    slopes.push_back (secant (i - 1) * secant (i) > 0 ? (secant (i - 1) + secant (i)) / 2 : 0);
  slopes.push_back (secant (last - 1));
  for (size_t i = 0; i < last; i++) {
    const double s = secant (i), length = s == 0 ? 0 : std::hypot (slopes[i] / s, slopes[i + 1] / s);
    const double factor = s == 0 ? 0 : std::min (1.0, 3 / length);
    slopes[i] *= factor, slopes[i + 1] *= factor;
  }
  return slopes;
}

static double
on_curve (double v, const std::vector<std::pair<double, double>> &points)
{
  if (points.empty ())
    return v;
  v = std::clamp (v, points.front ().first, points.back ().first);
  const std::vector<double> slopes = slopes_of (points);
  size_t i = 0;
  while (i + 2 < points.size () && v > points[i + 1].first)
    i++;
  const auto &[x0, y0] = points[i];
  const auto &[x1, y1] = points[i + 1];
  const double t = (v - x0) / (x1 - x0), s = 1 - t;
  return y0 * s * s * (1 + 2 * t) + y1 * t * t * (3 - 2 * t) + (x1 - x0) * t * s * (slopes[i] * s - slopes[i + 1] * t);
}

/* Brightness in 8-bit samples: of YUV with the picture's range; of RGB as if it were YUV of limited range. */
static double
brightness_of (const Picture &in, const Adjust &settings)
{
  if (in.is_rgb ())
    return settings.brightness * 255 / 219;
  return settings.brightness * (in.find ('u') ? in.max () / (219.0 * (in.max () + 1) / 256) : 1);
}

static Color
adjusted (Color c, const Adjust &s, double brightness, double kr, double kb)
{
  const double kg = 1 - kr - kb;
  const double red = std::pow (2, s.temperature / 2), green = std::pow (2, -s.tint / 2),
               blue = std::pow (2, -s.temperature / 2);
  const double gray = .299 * red + .587 * green + .114 * blue, light = std::pow (2, s.exposure / 2.2);
  c = {c[0] * light * red / gray, c[1] * light * green / gray, c[2] * light * blue / gray};
  double y = kr * c[0] + kg * c[1] + kb * c[2];
  const double u = (c[2] - y) / (2 * (1 - kb)), v = (c[0] - y) / (2 * (1 - kr));
  const double t = std::clamp (y, 0.0, 1.0);
  y += s.shadows * t * (1 - t) * (1 - t) + s.highlights * t * t * (1 - t);
  y = y * s.contrast + brightness;
  const double turn = M_PI * s.hue;
  const double u2 = (u * std::cos (turn) + v * std::sin (turn)) * s.saturation;
  const double v2 = (v * std::cos (turn) - u * std::sin (turn)) * s.saturation;
  c[0] = y + 2 * (1 - kr) * v2;
  c[2] = y + 2 * (1 - kb) * u2;
  c[1] = (y - kr * c[0] - kb * c[2]) / kg;
  const double spread = std::min (*std::ranges::max_element (c) - *std::ranges::min_element (c), 1.0);
  for (int i = 0; i < 3; i++) {
    c[i] = y + (c[i] - y) * (1 + s.vibrance * (1 - spread));
    c[i] = on_curve (on_curve (c[i], s.curves[0]), s.curves[1 + i]);
  }
  return c;
}

Picture
adjust (const Picture &in, const Adjust &settings)
{
  const double brightness = brightness_of (in, settings);
  const bool hd = in.find ('u') && in.height > 576;
  const double kr = hd ? .2126 : .299, kb = hd ? .0722 : .114;
  return map_colors (in, {}, [&] (const Color &c) { return adjusted (c, settings, brightness, kr, kb); });
}

}  // namespace ref
