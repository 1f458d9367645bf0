/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include <cmath>

namespace ref {

namespace {

/* SMPTE ST 2084 */
constexpr double m1 = 0.1593017578125, m2 = 78.84375, c1 = 0.8359375, c2 = 18.8515625, c3 = 18.6875;

double
from_pq (double v)
{
  const double p = std::pow (v, 1 / m2);
  return 10000 * std::pow (std::max (p - c1, 0.0) / (c2 - c3 * p), 1 / m1);
}

double
to_pq (double nits)
{
  const double p = std::pow (nits / 10000, m1);
  return std::pow ((c1 + c2 * p) / (1 + c3 * p), m2);
}

/* Recommendation BT.2100, table 5 */
constexpr double hlg_a = 0.17883277, hlg_b = 0.28466892, hlg_c = 0.55991073;

double
from_hlg (double v)
{
  return v <= 0.5 ? v * v / 3 : (std::exp ((v - hlg_c) / hlg_a) + hlg_b) / 12;
}

double
to_hlg (double e)
{
  return e <= 1.0 / 12 ? std::sqrt (3 * e) : hlg_a * std::log (12 * e - hlg_b) + hlg_c;
}

/* IEC 61966-2-1 */
double
from_srgb (double v)
{
  return v <= 0.04045 ? v / 12.92 : std::pow ((v + 0.055) / 1.055, 2.4);
}

double
to_srgb (double l)
{
  return l <= 0.0031308 ? 12.92 * l : 1.055 * std::pow (l, 1 / 2.4) - 0.055;
}

double
luminance (const Color &c, bool wide)
{
  return wide ? 0.2627002 * c[0] + 0.6779981 * c[1] + 0.0593017 * c[2] : 0.2126390 * c[0] + 0.7151687 * c[1] + 0.0721923 * c[2];
}

/* Report BT.2087, 4.2, and its inverse. */
Color
to_narrow (const Color &c)
{
  return {1.6604910 * c[0] - 0.5876411 * c[1] - 0.0728499 * c[2], -0.1245505 * c[0] + 1.1328999 * c[1] - 0.0083494 * c[2],
      -0.0181508 * c[0] - 0.1005789 * c[1] + 1.1187297 * c[2]};
}

Color
to_wide (const Color &c)
{
  return {0.6274039 * c[0] + 0.3292830 * c[1] + 0.0433131 * c[2], 0.0690973 * c[0] + 0.9195404 * c[1] + 0.0113623 * c[2],
      0.0163914 * c[0] + 0.0880133 * c[1] + 0.8955953 * c[2]};
}

Color
each (const Color &c, const std::function<double (double)> &f)
{
  return {f (c[0]), f (c[1]), f (c[2])};
}

/* Nits on a display. */
Color
light (const Color &signal, const ToneMap &s)
{
  const Color v = each (signal, [] (double x) { return std::clamp (x, 0.0, 1.0); });
  if (s.from == "pq")
    return each (v, from_pq);
  if (s.from == "sdr")
    return each (v, [] (double x) { return 203 * std::pow (x, 2.4); });
  if (s.from == "srgb")
    return each (v, [] (double x) { return 203 * from_srgb (x); });
  const Color scene = each (v, from_hlg);
  const double system = std::pow (luminance (scene, s.wide_in), 0.2);
  return each (scene, [&] (double x) { return x > 0 ? 1000 * x * system : 0; });
}

Color
signal (const Color &nits, const ToneMap &s)
{
  const Color c = each (nits, [&] (double x) { return std::clamp (x, 0.0, s.target); });
  if (s.to == "pq")
    return each (c, to_pq);
  if (s.to == "sdr")
    return each (c, [] (double x) { return std::pow (x / 203, 1 / 2.4); });
  if (s.to == "srgb")
    return each (c, [] (double x) { return to_srgb (x / 203); });
  const double y = luminance (c, s.wide_out) / 1000;
  return each (c, [&] (double x) { return x > 0 ? to_hlg (std::min (x / 1000 * std::pow (y, 1 / 1.2 - 1), 1.0)) : 0; });
}

double
bt2390 (double nits, double peak, double target)
{
  const double e = to_pq (nits) / to_pq (peak), most = to_pq (target) / to_pq (peak), ks = 1.5 * most - 0.5;
  if (e < ks)
    return nits;
  const double t = (e - ks) / (1 - ks);
  const double p =
      (2 * t * t * t - 3 * t * t + 1) * ks + (t * t * t - 2 * t * t + t) * (1 - ks) + (-2 * t * t * t + 3 * t * t) * most;
  return from_pq (p * to_pq (peak));
}

double
hable (double x)
{
  return (x * (0.15 * x + 0.05) + 0.004) / (x * (0.15 * x + 0.5) + 0.06) - 0.02 / 0.3;
}

double
toned (double nits, const ToneMap &s)
{
  if (s.peak <= s.target)
    return std::min (nits, s.target);
  nits = std::min (nits, s.peak);
  const double x = nits / s.target, p = s.peak / s.target;
  if (s.algorithm == "bt2390")
    return bt2390 (nits, s.peak, s.target);
  if (s.algorithm == "hable")
    return s.target * hable (x) / hable (p);
  if (s.algorithm == "reinhard")
    return s.target * x / (1 + x) / (p / (1 + p));
  if (s.algorithm == "linear")
    return nits / p;
  if (s.algorithm == "clip")
    return std::min (nits, s.target);
  /* mobius: m (x + a) / (x + b), with the line's value and slope at 0.3, and 1 at the peak */
  if (x <= 0.3)
    return nits;
  const double j = 0.3, a = -j * j * (p - 1) / (j * j - 2 * j + p), b = (j * j - 2 * j * p + p) / (p - 1);
  const double m = (b + j) * (b + j) / (b - a);
  return s.target * m * (x + a) / (x + b);
}

/* Moves a colour towards gray until it fits between 0 and 1. */
Color
fitted (const Color &c, double gray)
{
  double share = 1;
  for (const double v : c)
    share = v < 0 ? std::min (share, gray / (gray - v)) : v > 1 ? std::min (share, (1 - gray) / (v - gray)) : share;
  return each (c, [&] (double v) { return gray + (v - gray) * share; });
}

/* Compresses distances from the greatest component above 0.8, so that the farthest of BT.2020's corners reaches 1. */
Color
compressed (const Color &c, const ToneMap &s)
{
  double farthest = 1;
  for (int corner = 1; corner < 7 && s.wide_in && !s.wide_out; corner++) {
    const Color edge = to_narrow ({double (corner & 1), double (corner >> 1 & 1), double (corner >> 2 & 1)});
    farthest = std::max (farthest, 1 - *std::ranges::min_element (edge) / *std::ranges::max_element (edge));
  }
  const double most = *std::ranges::max_element (c);
  if (most <= 0 || farthest <= 1)
    return c;
  const double scale = (farthest - 0.8) * 0.2 / (farthest - 1);
  return each (c, [&] (double v) {
    const double beyond = 1 - v / most - 0.8;
    return beyond <= 0 ? v : most * (1 - 0.8 - beyond / (1 + beyond / scale));
  });
}

Color
mapped (const Color &in, const ToneMap &s)
{
  Color c = light (in, s);
  const double most = *std::ranges::max_element (c);
  const double gain = most > 0 ? toned (most, s) / most : 0;
  c = each (c, [&] (double v) { return v * gain; });
  const double gray = luminance (c, s.wide_in), share = 1 - s.desaturate * std::max (0.0, 1 - gain);
  c = each (c, [&] (double v) { return (gray + (v - gray) * (most > 0 ? share : 1)) / s.target; });
  if (s.wide_in != s.wide_out)
    c = s.wide_in ? to_narrow (c) : to_wide (c);
  if (s.gamut == "desaturate")
    c = compressed (c, s);
  if (s.gamut != "clip")
    c = fitted (c, std::min (luminance (c, s.wide_out), 1.0));
  return signal (each (c, [&] (double v) { return v * s.target; }), s);
}

}  // namespace

double
nits_of (const std::string &transfer, double v)
{
  ToneMap settings;
  settings.from = transfer;
  return light ({v, v, v}, settings)[1];
}

Picture
tone_map (const Picture &stored, const ToneMap &settings)
{
  const Picture in = bounded (stored);
  const auto space = [] (bool wide) { return wide ? ColorSpace{false, 0.2627, 0.0593} : ColorSpace{false, 0.2126, 0.0722}; };
  return map_colors (
      in, space (settings.wide_in), space (settings.wide_out), [&] (const Color &c) { return mapped (c, settings); });
}

}  // namespace ref
