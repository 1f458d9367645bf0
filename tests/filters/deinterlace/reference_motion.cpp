/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../motion/reference_parts.hpp"
#include "reference.hpp"

#include <cstdlib>
#include <string>

namespace ref {

namespace steady {

struct Neighbour {
  Neighbour (const Picture &picture_, MotionField field_) : picture (picture_), luma (picture_, {}), field (std::move (field_))
  {
  }

  int compensated (size_t component, bool is_luma, int x, int y) const;

  const Picture picture;
  const motion::Pyramid luma;
  const MotionField field;
};

int
Neighbour::compensated (size_t i, bool is_luma, int x, int y) const
{
  const Component &component = picture.components[i];
  const int u = x * component.sub_x, w = y * component.sub_y;
  long sum = 128;
  for (int n = 0; n < 4; n++) {
    const int right = n % 2, down = n / 2;
    const MotionVector &v = field.vectors[std::clamp (w / 8 - 1 + down, 0, field.rows - 1) * field.columns
                                          + std::clamp (u / 8 - 1 + right, 0, field.columns - 1)];
    const long weight = (right ? 2 * (u % 8) + 1 : 15 - 2 * (u % 8)) * (down ? 2 * (w % 8) + 1 : 15 - 2 * (w % 8));
    sum += weight * motion::moved_sample (component, is_luma ? &luma : nullptr, x, y, v);
  }
  return int (sum >> 8);
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
  const long limit = 12l << std::max (stored.layout->depth - 8, 0);
  Picture out = stored;
  for (size_t i = 0; i < out.components.size (); i++)
    for (int y = is_bottom ? 0 : 1; y < out.components[i].height; y += 2)
      for (int x = 0; x < out.components[i].width; x++) {
        const int b = whole.components[i].at (x, y), c0 = neighbours[0].compensated (i, is_planar && i == 0, x, y),
                  c1 = neighbours[1].compensated (i, is_planar && i == 0, x, y);
        const long q = std::min (std::abs (c0 - c1) * ((1 << 20) / limit) >> 12, 256l), trust = (65536 - q * q) >> 2;
        out.components[i].at (x, y) = int (b + (((((c0 + c1 + 1) >> 1) - b) * trust + 8192) >> 14));
      }
  return out;
}

}  // namespace ref
