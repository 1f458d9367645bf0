/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../motion/reference_parts.hpp"
#include "reference.hpp"

#include <cstdlib>

namespace ref {

namespace steady {

struct Neighbour {
  Neighbour (const Picture &picture_, MotionField field_) : picture (picture_), luma (picture_, {}), field (std::move (field_))
  {
  }

  struct Sample {
    int value, nearness;
  };
  Sample compensated (size_t component, bool is_luma, int x, int y) const;

  const Picture picture;
  const motion::Pyramid luma;
  const MotionField field;
};

Neighbour::Sample
Neighbour::compensated (size_t i, bool is_luma, int x, int y) const
{
  const Component &component = picture.components[i];
  const int u = x * component.sub_x, w = y * component.sub_y;
  long sum = 128, nearness = 0;
  for (int n = 0; n < 4; n++) {
    const int right = n % 2, down = n / 2;
    const MotionVector &v = field.vectors[std::clamp (w / 8 - 1 + down, 0, field.rows - 1) * field.columns
                                          + std::clamp (u / 8 - 1 + right, 0, field.columns - 1)];
    const long weight = (right ? 2 * (u % 8) + 1 : 15 - 2 * (u % 8)) * (down ? 2 * (w % 8) + 1 : 15 - 2 * (w % 8));
    sum += weight * motion::moved_sample (component, is_luma ? &luma : nullptr, x, y, v);
    /* sixteenths of two rows of the component */
    const int place = (component.sub_y == 1 ? 2 * v.y : component.sub_y == 2 ? v.y : v.y >> 1) & 15;
    nearness += weight * std::abs (place - 8);
  }
  return {int (sum >> 8), int (nearness)};
}

/* How much the field's rows around row y differ; rows are mirrored at the edges. */
int
detail (const Component &of, int x, int y)
{
  const auto at = [&] (int row) {
    const int last = of.height - 1, inside = row < 0 ? -row : row > last ? 2 * last - row : row;
    return of.at (x, std::clamp (inside, 0, last));
  };
  const int above = at (y - 1), below = at (y + 1);
  const int bend = std::max (std::abs (2 * above - at (y - 3) - below), std::abs (2 * below - above - at (y + 3)));
  return std::max (std::abs (above - below), bend / 2);
}

}  // namespace steady

Picture
steadied (const Picture &stored, const Picture &before, const Picture &after, bool is_bottom)
{
  const Picture whole = bounded (stored), others[] = {bounded (before), bounded (after)};
  const std::vector<MotionField> fields = find_motion (whole, {&others[0], &others[1]}, {});
  if (fields[0].cut || fields[1].cut)
    return stored;
  const steady::Neighbour neighbours[] = {{others[0], fields[0]}, {others[1], fields[1]}};
  const bool is_planar = std::string (stored.layout->planes).starts_with ("y");
  Picture out = stored;
  for (size_t i = 0; i < out.components.size (); i++)
    for (int y = is_bottom ? 0 : 1; y < out.components[i].height; y += 2)
      for (int x = 0; x < out.components[i].width; x++) {
        const Component &own = whole.components[i];
        const bool is_luma = is_planar && i == 0;
        const auto c0 = neighbours[0].compensated (i, is_luma, x, y), c1 = neighbours[1].compensated (i, is_luma, x, y);
        const long off = ((c0.value + c1.value + 1) >> 1) - own.at (x, y), nearness = c0.nearness + c1.nearness;
        const long most = std::max (steady::detail (own, x, y) - 2l * std::abs (c0.value - c1.value), 0l);
        out.components[i].at (x, y) = own.at (x, y) + int (std::clamp ((off * nearness + 2048) >> 12, -most, most));
      }
  return out;
}

}  // namespace ref
