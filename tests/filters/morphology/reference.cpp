/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include <utility>

#include "../../reference/common.hpp"

namespace ref {

using Offset = std::pair<int, int>; /* dx, dy */

static bool
is_in_shape (const Morphology &settings, double rx, double ry, int dx, int dy)
{
  if (settings.shape == "cross")
    return dx == 0 || dy == 0;
  if (settings.shape == "ellipse") {
    /* a radius of 0 includes only the middle; a common denominator avoids rounding */
    return (rx > 0 || dx == 0) && (ry > 0 || dy == 0)
           && dx * dx * std::max (ry * ry, 1.0) + dy * dy * std::max (rx * rx, 1.0)
                  <= std::max (rx * rx, 1.0) * std::max (ry * ry, 1.0);
  }
  return true;
}

static std::vector<Offset>
offsets_of (const Morphology &settings)
{
  std::vector<Offset> offsets;
  const int rows = (int) settings.element.size ();
  for (int j = 0; j < rows; j++) {
    const int columns = (int) settings.element[j].size ();
    for (int i = 0; i < columns; i++)
      if (settings.element[j][i])
        offsets.push_back ({i - columns / 2, j - rows / 2});
  }
  if (rows)
    return offsets;
  const int rx = settings.radius, ry = settings.radius_y < 0 ? rx : settings.radius_y;
  for (const auto [dx, dy] : window (rx, ry))
    if (is_in_shape (settings, rx, ry, dx, dy))
      offsets.push_back ({dx, dy});
  return offsets;
}

/* The least sample, or, with the reflected element, the greatest. `Replicate` means that samples outside are ignored; if all
 * are, any other sample would win. */
static Picture
step (const Picture &in, const std::vector<Offset> &offsets, bool dilate, const Border &border)
{
  Picture out = in;
  for (Component &component : out.components) {
    const Around source{component, border, in.max ()};
    for (const auto [x, y] : component.places ()) {
      int found = dilate ? 0 : in.max ();
      for (const auto &[dx, dy] : offsets) {
        const int at_x = dilate ? x - dx : x + dx, at_y = dilate ? y - dy : y + dy;
        const bool outside = at_x < 0 || at_y < 0 || at_x >= component.width || at_y >= component.height;
        if (border.rule == Border::Replicate && outside)
          continue;
        found = dilate ? std::max (found, source (at_x, at_y)) : std::min (found, source (at_x, at_y));
      }
      component.at (x, y) = found;
    }
  }
  return out;
}

static Picture
stage (Picture picture, const Morphology &settings, bool dilate, const Border &border)
{
  const std::vector<Offset> offsets = offsets_of (settings);
  for (int i = 0; i < settings.iterations; i++)
    picture = step (picture, offsets, dilate, border);
  return picture;
}

/* Relative to the neutral sample in chroma. */
static Picture
difference (Picture a, const Picture &b)
{
  for (size_t c = 0; c < a.components.size (); c++)
    for (size_t i = 0; i < a.components[c].value.size (); i++) {
      const int v = std::max (0, a.components[c].value[i] - b.components[c].value[i]);
      a.components[c].value[i] = a.components[c].is_chroma () ? std::min (a.neutral () + v, a.max ()) : v;
    }
  return a;
}

Picture
morphology (const Picture &in, const Morphology &settings, const Border &border)
{
  const auto erosion = [&] (const Picture &p) { return stage (p, settings, false, border); };
  const auto dilation = [&] (const Picture &p) { return stage (p, settings, true, border); };
  if (settings.operation == "erode")
    return erosion (in);
  if (settings.operation == "dilate")
    return dilation (in);
  if (settings.operation == "close")
    return erosion (dilation (in));
  if (settings.operation == "gradient")
    return difference (dilation (in), erosion (in));
  if (settings.operation == "tophat")
    return difference (in, dilation (erosion (in)));
  if (settings.operation == "blackhat")
    return difference (erosion (dilation (in)), in);
  return dilation (erosion (in));
}

}  // namespace ref
