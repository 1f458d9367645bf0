/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include <cmath>
#include <map>

namespace ref {

namespace {

/* The weight of a sample at distance d, if samples of the result are `step` samples apart. */
double
weight (const std::string &method, double d, double step)
{
  if (method == "area")
    return std::max (0.0, std::min (step / 2, d + 0.5) - std::max (-step / 2, d - 0.5));
  const double x = std::fabs (d) / std::max (step, 1.0);
  const auto sinc = [] (double v) { return v == 0 ? 1 : std::sin (M_PI * v) / (M_PI * v); };
  if (method == "bilinear")
    return x < 1 ? 1 - x : 0;
  if (method == "lanczos")
    return x < 3 ? sinc (x) * sinc (x / 3) : 0;
  if (x < 1) /* Catmull-Rom */
    return (3 * x * x * x - 5 * x * x + 2) / 2;
  return x < 2 ? (-x * x * x + 5 * x * x - 8 * x + 4) / 2 : 0;
}

/* Weights of samples in a row of n; the ends also get the weights beyond them. */
std::map<int, double>
weights (const std::string &method, double place, double step, int n)
{
  std::map<int, double> result;
  const int reach = int (4 * std::max (step, 1.0)) + 2;
  double sum = 0;
  for (int k = int (place) - reach; k <= int (place) + reach; k++)
    sum += weight (method, k - place, step);
  for (int k = int (place) - reach; k <= int (place) + reach; k++)
    if (const double w = weight (method, k - place, step); w != 0)
      result[std::clamp (k, 0, n - 1)] += w / sum;
  return result;
}

/* Resampling along one axis, between two subsamplings and sizes. */
struct Axis {
  int from_sub, to_sub, from_size, to_size, n;
  bool from_cosited, to_cosited;

  std::map<int, double> at (int i, const Convert &set) const
  {
    const double scale = double (from_size) / to_size;
    const double luma = (i * to_sub + (to_cosited ? 0.5 : to_sub / 2.0)) * scale;
    const double place = (luma - (from_cosited ? 0.5 : from_sub / 2.0)) / from_sub, step = scale * to_sub / from_sub;
    const bool chroma = from_sub > 1 || to_sub > 1;
    std::string method = from_size == to_size ? step > 1 ? "area" : "bilinear" : set.method;
    if (chroma && set.nearest_chroma)
      method = "nearest";
    else if (!chroma && from_size == to_size)
      method = "nearest";
    return method == "nearest" ? std::map<int, double>{{nearest (i), 1}} : weights (method, place, step, n);
  }

private:
  /* floor (place + 1/2) in integers; no place is far below 0 */
  int nearest (int i) const
  {
    const long unit = 2l * to_size * from_sub,
               place = (2l * i * to_sub + (to_cosited ? 1 : to_sub)) * from_size - long (from_cosited ? 1 : from_sub) * to_size;
    return std::clamp (int ((place + unit / 2 + 4 * unit) / unit) - 4, 0, n - 1);
  }
};

double
resample (const Component &in, const Axis &across, const Axis &down, int x, int y, const Convert &set)
{
  double sum = 0;
  for (const auto &[row, row_weight] : down.at (y, set))
    for (const auto &[column, column_weight] : across.at (x, set))
      sum += row_weight * column_weight * in.at (column, row);
  return sum;
}

struct Rgb {
  double r, g, b;
};

double
span (const Picture &picture, const Colors &colors, int limited)
{
  return picture.find ('u') && colors.limited ? limited * std::pow (2, picture.layout->depth - 8) : picture.max ();
}

double
black (const Picture &picture, const Colors &colors)
{
  return picture.find ('u') && colors.limited ? 16 * std::pow (2, picture.layout->depth - 8) : 0;
}

Rgb
to_rgb (const Picture &picture, const Colors &c, const std::map<char, double> &v)
{
  if (picture.is_rgb ())
    return {v.at ('r') / picture.max (), v.at ('g') / picture.max (), v.at ('b') / picture.max ()};
  const double y = (v.at ('y') - black (picture, c)) / span (picture, c, 219);
  if (!picture.find ('u'))
    return {y, y, y};
  const double u = (v.at ('u') - picture.neutral ()) / span (picture, c, 224);
  const double w = (v.at ('v') - picture.neutral ()) / span (picture, c, 224);
  const double r = y + 2 * (1 - c.red) * w, b = y + 2 * (1 - c.blue) * u;
  return {r, (y - c.red * r - c.blue * b) / (1 - c.red - c.blue), b};
}

double
from_rgb (const Picture &picture, const Colors &c, const Rgb &rgb, char name)
{
  const double y = c.red * rgb.r + (1 - c.red - c.blue) * rgb.g + c.blue * rgb.b;
  switch (name) {
    case 'r':
      return rgb.r * picture.max ();
    case 'g':
      return rgb.g * picture.max ();
    case 'b':
      return rgb.b * picture.max ();
    case 'y':
      return black (picture, c) + y * span (picture, c, 219);
    case 'u':
      return picture.neutral () + (rgb.b - y) / (2 * (1 - c.blue)) * span (picture, c, 224);
    default:
      return picture.neutral () + (rgb.r - y) / (2 * (1 - c.red)) * span (picture, c, 224);
  }
}

/* The sample of a border. */
int
black_sample (const Picture &picture, const Colors &colors, char name)
{
  if (name == 'a' || name == 'x')
    return picture.max ();
  return int (name == 'u' || name == 'v' ? picture.neutral () : name == 'y' ? black (picture, colors) : 0);
}

}  // namespace

Picture
convert (const Picture &stored, const Picture &like, const Convert &set)
{
  const Picture in = bounded (stored);
  Picture out = like;
  const int left = set.x, top = set.y, width = set.width ? set.width : out.width, height = set.height ? set.height : out.height;
  for (Component &to : out.components) {
    const int x0 = left / to.sub_x, y0 = top / to.sub_y;
    const int x1 = (left + width + to.sub_x - 1) / to.sub_x, y1 = (top + height + to.sub_y - 1) / to.sub_y;
    for (const auto [x, y] : to.places ()) {
      if (x < x0 || x >= x1 || y < y0 || y >= y1) {
        to.at (x, y) = black_sample (out, set.out, to.name);
        continue;
      }
      std::map<char, double> values;
      for (const Component &from : in.components)
        values[from.name] = resample (from,
            {from.sub_x, to.sub_x, in.width, width, from.width, set.in.cosited_x, set.out.cosited_x},
            {from.sub_y, to.sub_y, in.height, height, from.height, set.in.cosited_y, set.out.cosited_y}, x - x0, y - y0, set);
      double v = out.max ();
      if (to.name == 'a' && in.find ('a'))
        v = values['a'] / in.max () * out.max ();
      else if (to.name != 'a' && to.name != 'x')
        v = from_rgb (out, set.out, to_rgb (in, set.in, values), to.name);
      to.at (x, y) = int (std::clamp (std::nearbyint (v), 0.0, double (out.max ())));
    }
  }
  return out;
}

}  // namespace ref
