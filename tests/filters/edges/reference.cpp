/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include <numbers>

#include "../../reference/common.hpp"

namespace ref {

using Weights = double[3][3];

/* A hundred times the sample, or the intensity, so that both are integers. */
static std::vector<int>
hundreds_of (const Picture &in, const Component &component, bool intensity)
{
  std::vector<int> values;
  for (size_t i = 0; i < component.value.size (); i++)
    if (intensity && in.is_rgb ())
      values.push_back (30 * in.find ('r')->value[i] + 59 * in.find ('g')->value[i] + 11 * in.find ('b')->value[i]);
    else
      values.push_back (100 * component.value[i]);
  return values;
}

/* The sum of a matrix times the window around (x, y), of hundreds. */
static double
correlation (const std::vector<int> &values, const Component &component, int x, int y, const Weights &matrix,
    const Border &border, int constant)
{
  auto get = [&] (int column, int row) { return values[row * component.width + column]; };
  double sum = 0;
  for (const auto [i, j] : window (1, 1))
    sum += matrix[j + 1][i + 1] * sample (x + i, y + j, component.width, component.height, border, get, 100 * constant);
  return sum;
}

/* Calls result (values, x, y) for every colour sample. With intensity, chroma becomes neutral and alpha does not change. */
template <typename Result>
static Picture
each_sample (const Picture &in, bool intensity, Result result)
{
  Picture out = in;
  for (Component &component : out.components) {
    if (intensity && (component.name == 'a' || component.name == 'x'))
      continue;
    const std::vector<int> values = hundreds_of (in, component, intensity);
    for (const auto [x, y] : component.places ())
      component.at (x, y) =
          intensity && component.is_chroma () ? in.neutral () : round_to_sample (result (values, component, x, y), in.max ());
  }
  return out;
}

Picture
edges (const Picture &in, const Edges &settings, const Border &border)
{
  const double sides[] = {1, 1, 3}, middles[] = {1, 2, 10};
  const double a = sides[settings.which], b = middles[settings.which];
  const Weights mx = {{-a, 0, a}, {-b, 0, b}, {-a, 0, a}};
  const Weights my = {{-a, -b, -a}, {0, 0, 0}, {a, b, a}};
  const int constant = round_to_sample (border.value * in.max (), in.max ());
  const bool intensity = settings.domain == Edges::Intensity || (settings.domain == Edges::Auto && in.find ('u') != nullptr);

  return each_sample (in, intensity, [&] (const std::vector<int> &values, const Component &component, int x, int y) {
    const bool one_part = settings.output == Edges::X || settings.output == Edges::Y;
    const bool is_signed = one_part && (settings.is_signed || component.is_chroma ());
    const bool centred = is_signed || component.is_chroma ();
    const double gx = correlation (values, component, x, y, mx, border, constant);
    const double gy = correlation (values, component, x, y, my, border, constant);
    double g = 0;
    switch (settings.output) {
      case Edges::Magnitude:
        g = std::sqrt (gx * gx + gy * gy);
        break;
      case Edges::L1:
        g = std::abs (gx) + std::abs (gy);
        break;
      case Edges::X:
        g = is_signed ? gx : std::abs (gx);
        break;
      case Edges::Y:
        g = is_signed ? gy : std::abs (gy);
        break;
    }
    /* a single division at the end keeps ties exact */
    const double middle = centred ? in.neutral () : 0;
    const double divisor = centred ? 200 : 100;
    return (g * settings.scale + settings.delta * in.max () * divisor) / divisor + middle;
  });
}

Picture
emboss (const Picture &in, const Emboss &settings, const Border &border)
{
  const double angle = settings.angle * std::numbers::pi / 180;
  const double px = settings.depth * std::numbers::sqrt2 * std::cos (angle);
  const double py = settings.depth * std::numbers::sqrt2 * std::sin (angle);
  const Weights matrix = {{-px - py, -py, px - py}, {-px, 1, px}, {py - px, py, px + py}};
  const int constant = round_to_sample (border.value * in.max (), in.max ());

  return each_sample (in, settings.gray, [&] (const std::vector<int> &values, const Component &component, int x, int y) {
    /* cosines have an error smaller than this */
    const double v = correlation (values, component, x, y, matrix, border, constant) / 100;
    const double halves = std::nearbyint (2 * v * 100);
    return std::abs (2 * v * 100 - halves) < 1e-3 ? halves / 200 : v;
  });
}

}  // namespace ref
