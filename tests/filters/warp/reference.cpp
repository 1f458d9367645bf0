/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pixels are at integer positions, chroma as its siting says; rows of a field are those of the frame. Each sample is a weighted
 * sum of the samples around its source, one by one. */
#include "reference.hpp"

namespace ref {

static const double nan_ = std::nan ("");

static Point
by_matrix (const std::array<double, 9> &m, Point p)
{
  const double z = m[6] * p.x + m[7] * p.y + m[8];
  if (!(z > 0))
    return {nan_, nan_};
  return {(m[0] * p.x + m[1] * p.y + m[2]) / z, (m[3] * p.x + m[4] * p.y + m[5]) / z};
}

static Point
by_lens (const std::vector<double> &c, Point p)
{
  const double x = (p.x - c[2]) / c[0], y = (p.y - c[3]) / c[1], r = std::hypot (x, y);
  const double above = 1 + c[4] * std::pow (r, 2) + c[5] * std::pow (r, 4) + c[8] * std::pow (r, 6);
  const double below = 1 + c[9] * std::pow (r, 2) + c[10] * std::pow (r, 4) + c[11] * std::pow (r, 6);
  const double bent_x = x * above / below + 2 * c[6] * x * y + c[7] * (r * r + 2 * x * x);
  const double bent_y = y * above / below + c[6] * (r * r + 2 * y * y) + 2 * c[7] * x * y;
  return {c[0] * bent_x + c[2], c[1] * bent_y + c[3]};
}

/* Interpolates between the entries of a cell; the outermost cells extend for a pixel. */
static Point
by_map (const std::vector<float> &map, Point p, int width, int height)
{
  if (!(p.x >= -1 && p.x <= width && p.y >= -1 && p.y <= height))
    return {nan_, nan_};
  const int left = std::max (0, std::min ((int) std::floor (p.x), width - 2));
  const int top = std::max (0, std::min ((int) std::floor (p.y), height - 2));
  Point sum{0, 0};
  for (const auto [x, y] : Places{2, 2, left, top}) {
    const double weight = (x == left ? left + 1 - p.x : p.x - left) * (y == top ? top + 1 - p.y : p.y - top);
    const int at = std::min (y, height - 1) * width + std::min (x, width - 1);
    if (weight != 0)
      sum = {sum.x + weight * map[2 * at], sum.y + weight * map[2 * at + 1]};
  }
  return sum;
}

Point
source_of (const Warp &warp, Point p, int width, int height)
{
  std::array<double, 9> m = warp.matrix;
  if (m[6] * (width - 1) / 2 + m[7] * (height - 1) / 2 + m[8] < 0)
    for (double &v : m)
      v = -v;
  p = by_matrix (m, p);
  if (!warp.lens.empty ())
    p = by_lens (warp.lens, p);
  if (!warp.map.empty ())
    p = by_map (warp.map, p, width, height);
  const bool near = std::abs (p.x) < 1e9 && std::abs (p.y) < 1e9;
  return near ? p : Point{nan_, nan_};
}

static double
weight_of (const std::string &method, double distance)
{
  const double d = std::abs (distance);
  if (method == "bilinear")
    return std::max (0.0, 1 - d);
  if (method == "bicubic")
    return d < 1 ? 1.5 * d * d * d - 2.5 * d * d + 1 : d < 2 ? -0.5 * d * d * d + 2.5 * d * d - 4 * d + 2 : 0;
  const auto sinc = [] (double v) { return v == 0 ? 1 : std::sin (M_PI * v) / (M_PI * v); };
  return d < 3 ? sinc (d) * sinc (d / 3) : 0;
}

/* Folds distant positions in as few steps as near ones. */
static int
nearer (int i, int n, Border::Rule rule)
{
  const int period = rule == Border::Reflect101 ? std::max (2 * n - 2, 1) : 2 * n;
  return rule == Border::Replicate || rule == Border::Constant ? i : (i % period + period) % period;
}

static double
value_at (const Component &in, Point p, const std::string &method, const Border &border, int constant)
{
  const auto get = [&] (int x, int y) { return (double) in.at (x, y); };
  const auto read = [&] (int x, int y) {
    return sample (nearer (x, in.width, border.rule), nearer (y, in.height, border.rule), in.width, in.height, border, get,
        (double) constant);
  };
  const int x = (int) std::floor (p.x), y = (int) std::floor (p.y);
  if (method == "nearest")
    return read ((int) std::floor (p.x + 0.5), (int) std::floor (p.y + 0.5));
  double sum = 0, weights = 0;
  for (int j = y - 3; j <= y + 4; j++) {
    const double down = weight_of (method, p.y - j);
    for (int i = x - 3; i <= x + 4 && down != 0; i++)
      if (const double weight = down * weight_of (method, p.x - i); weight != 0) {
        sum += weight * read (i, j);
        weights += weight;
      }
  }
  return sum / weights;
}

Picture
warp (const Picture &in, const Warp &warp, const Scene &scene)
{
  Picture out = in;
  const int max = in.max (), rows = in.height * scene.n_fields;
  /* a field may have one row less than half the frame */
  const int height = warp.map.empty () ? rows : (int) warp.map.size () / 2 / in.width;
  for (size_t c = 0; c < in.components.size (); c++) {
    const Component &from = in.components[c];
    const double first_x = warp.cosited_x ? 0 : (from.sub_x - 1) / 2.0, first_y = warp.cosited_y ? 0 : (from.sub_y - 1) / 2.0;
    const bool black_is_neutral = from.is_chroma () && scene.border.value == 0 && scene.border.rule != Border::Constant;
    const int constant = black_is_neutral ? in.neutral () : round_to_sample (scene.border.value * max, max);
    for (const auto [x, y] : from.places ()) {
      const Point at{x * from.sub_x + first_x, (y * from.sub_y + first_y) * scene.n_fields + scene.field};
      const Point p = source_of (warp, at, in.width, height);
      const Point place{(p.x - first_x) / from.sub_x, ((p.y - scene.field) / scene.n_fields - first_y) / from.sub_y};
      out.components[c].at (x, y) =
          std::isnan (p.x) ? constant : round_to_sample (value_at (from, place, warp.method, scene.border, constant), max);
    }
  }
  return out;
}

}  // namespace ref
