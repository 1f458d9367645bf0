/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Crops are extended to whole chroma samples. Each pixel of the result is looked up in the source; a chroma sample is the mean
 * over the pixels that it covers. */
#include "reference.hpp"

#include <set>

namespace ref {

namespace {

using Place = Places::Place;

/* The position of pixel x, y of the result in a picture of this size, for each of the eight orientations. */
Place
source_of (const std::string &direction, int x, int y, int width, int height)
{
  const int right = width - 1, bottom = height - 1;
  if (direction == "90r")
    return {y, bottom - x};
  if (direction == "180")
    return {right - x, bottom - y};
  if (direction == "90l")
    return {right - y, x};
  if (direction == "horiz")
    return {right - x, y};
  if (direction == "vert")
    return {x, bottom - y};
  if (direction == "ul-lr")
    return {y, x};
  if (direction == "ur-ll")
    return {right - y, bottom - x};
  return {x, y};
}

bool
is_turned (const std::string &direction)
{
  return std::set<std::string>{"90r", "90l", "ul-lr", "ur-ll"}.count (direction);
}

Picture
crop (const Picture &in, const Flip &set)
{
  int unit_x = 1, unit_y = set.fields ? 2 : 1;
  for (const Component &c : in.components) {
    unit_x = std::max (unit_x, c.sub_x);
    unit_y = std::max (unit_y, c.sub_y * (set.fields ? 2 : 1));
  }
  int left = set.left, top = set.top, right = in.width - set.right, bottom = in.height - set.bottom;
  while (left % unit_x)
    left--;
  while (top % unit_y)
    top--;
  while (right % unit_x && right < in.width)
    right++;
  while (bottom % unit_y && bottom < in.height)
    bottom++;
  Picture out = make_picture (in.layout->format, right - left, bottom - top);
  for (size_t i = 0; i < in.components.size (); i++) {
    Component &to = out.components[i];
    for (const auto [x, y] : to.places ())
      to.at (x, y) = in.components[i].at (left / to.sub_x + x, top / to.sub_y + y);
  }
  return out;
}

Picture
turn (const Picture &in, const std::string &direction)
{
  const bool turned = is_turned (direction);
  Picture out = make_picture (in.layout->format, turned ? in.height : in.width, turned ? in.width : in.height);
  for (size_t i = 0; i < in.components.size (); i++) {
    const Component &from = in.components[i];
    Component &to = out.components[i];
    for (const auto [x, y] : to.places ()) {
      /* along x only if a rotation turns subsampled columns into rows */
      const int n = turned ? std::max (1, to.sub_x / to.sub_y) : 1;
      int sum = 0;
      for (int k = 0; k < n; k++) {
        const int column = std::min (x * to.sub_x + k * to.sub_y, out.width - 1), row = std::min (y * to.sub_y, out.height - 1);
        const Place place = source_of (direction, column, row, in.width, in.height);
        sum += from.at (place.x / from.sub_x, place.y / from.sub_y);
      }
      to.at (x, y) = (sum + n / 2) / n;
    }
  }
  return out;
}

}  // namespace

Picture
flip (const Picture &in, const Flip &settings)
{
  const Picture kept = crop (in, settings);
  if (!settings.fields || is_turned (settings.direction))
    return turn (kept, settings.direction);
  Picture out = kept;
  for (int field = 0; field < 2; field++)
    weave (out, turn (field_of (kept, field), settings.direction), field);
  return out;
}

}  // namespace ref
