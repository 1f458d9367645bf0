/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "blur/bands.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>

namespace gst::cl {

Bands
cut_bands (const Runner &runner, const PlaneTask &task, int unit, int least)
{
  constexpr int jobs_per_processor = 4;
  const int height = task.region.height;
  const int jobs = std::max (1, jobs_per_processor * int (runner.cl ().device.compute_units));
  const int rows = divide_up (divide_up (height, std::clamp (height / least, 1, jobs)), unit) * unit;
  return {rows, divide_up (height, rows)};
}

std::vector<PlaneTask>
cut_parts (const PlaneTask &task, size_t row_bytes, int least)
{
  constexpr size_t cached = 16 << 20;
  const int height = task.region.height;
  const int limit = std::max<int> (least, cached / row_bytes);
  const int rows = divide_up (height, divide_up (height, limit));
  std::vector<PlaneTask> parts;
  for (int y = 0; y < height; y += rows) {
    PlaneTask part = task;
    part.region.y += y;
    part.region.height = std::min (rows, height - y);
    parts.push_back (part);
  }
  return parts;
}

int
sums_pitch (const PlaneTask &task)
{
  constexpr int multiple = 64;
  return divide_up (task.src.width * task.src.layout->samples_per_pixel, multiple) * multiple;
}

Rect
columns_reached (const PlaneTask &task, int radius)
{
  const Rect &region = task.region;
  const bool inside = region.x >= radius && region.x + region.width + radius <= task.src.width;
  if (inside)
    return {region.x - radius, region.y, region.width + 2 * radius, region.height};
  return {0, region.y, task.src.width, region.height};
}

}  // namespace gst::cl
