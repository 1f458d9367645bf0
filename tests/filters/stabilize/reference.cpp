/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include "../../reference/common.hpp"

#include <cmath>
#include <numbers>

namespace ref {

namespace {

struct BlockPlace {
  double x, y;
};

/* The source position in the frame for a position in the result; both in pixels from the upper left corner. */
BlockPlace
source_of (BlockPlace to, const Picture &frame, int frame_height, const Correction &correction, double crop)
{
  const double x = (1 - crop) * (to.x - frame.width / 2.0) - correction.x;
  const double y = (1 - crop) * (to.y - frame_height / 2.0) - correction.y;
  const double angle = -correction.angle * std::numbers::pi / 180;
  return {frame.width / 2.0 + std::cos (angle) * x - std::sin (angle) * y,
      frame_height / 2.0 + std::sin (angle) * x + std::cos (angle) * y};
}

/* The Catmull-Rom weight of a sample at this distance. */
double
weight (double distance)
{
  const double t = std::abs (distance);
  return t < 1 ? (1.5 * t - 2.5) * t * t + 1 : t < 2 ? ((2.5 - 0.5 * t) * t - 4) * t + 2 : 0;
}

/* Cubics along four columns give values on the line through (x, y) of this slope, and a cubic along the line gives the
 * result. */
double
value_at (const Component &component, double x, double y, double slope, const Border &border, double constant)
{
  const int left = int (std::floor (x)) - 1;
  double value = 0;
  for (int column = left; column < left + 4; column++) {
    const double height = y + slope * (column - x);
    const int top = int (std::floor (height)) - 1;
    for (int row = top; row < top + 4; row++)
      value += weight (x - column) * weight (height - row)
               * sample (
                   column, row, component.width, component.height, border,
                   [&] (int i, int j) { return double (component.at (i, j)); }, constant);
  }
  return value;
}

Picture
warped (const Picture &in, const Correction &correction, const Stabilize &settings, int frame_height, int field, int fields)
{
  const double slope = -std::tan (correction.angle * std::numbers::pi / 180);
  Picture out = in;
  for (Component &component : out.components) {
    const Component &from = *in.find (component.name);
    const double step_x = from.sub_x, step_y = from.sub_y * fields;
    const double first_x = settings.cosited ? 0.5 : from.sub_x / 2.0, first_y = from.sub_y / 2.0 + field;
    const double constant = from.is_chroma () ? in.neutral () : settings.border.value * in.max ();
    if (from.name == 'x')
      continue;
    for (int y = 0; y < component.height; y++)
      for (int x = 0; x < component.width; x++) {
        const BlockPlace place =
            source_of ({first_x + x * step_x, first_y + y * step_y}, in, frame_height, correction, settings.crop);
        const double value = value_at (from, (place.x - first_x) / step_x, (place.y - first_y) / step_y,
            slope * step_x / step_y, settings.border, std::nearbyint (constant));
        component.at (x, y) = round_to_sample (value, in.max ());
      }
  }
  return out;
}

}  // namespace

Picture
stabilized (const Picture &in, const Correction &correction, const Stabilize &settings)
{
  if (!settings.interlaced)
    return warped (in, correction, settings, in.height, 0, 1);
  Picture out = in;
  for (int field = 0; field < 2; field++)
    weave (out, warped (field_of (in, field), correction, settings, in.height, field, 2), field);
  return out;
}

}  // namespace ref
