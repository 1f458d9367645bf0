/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cltemporal's averages along motion. */
#include "reference_parts.hpp"

#include <cmath>

namespace ref {

namespace motion {

/* The mean of a sample and those that blocks of other frames have there: the four blocks around it, weighted by distance and by quality
 * of match. */
struct Sum {
  const int own, depth;
  const double threshold;
  /* Of running values: how many frames the other one stands for. */
  const int running = 0;
  long value = 4096l * own, weight = 4096;

  long part_of (long difference) const
  {
    const auto per_limit = unsigned ((1 << 24) / std::max (threshold * 65535, 1.0));
    const long q = std::min (long ((unsigned (difference) << 16) * (unsigned long) per_limit >> 32), 256l);
    return (65536 - q * q) >> 12;
  }

  void add (const Component &c, const Pyramid *luma, const MotionField &field, int x, int y)
  {
    const int u = x * c.sub_x, w = y * c.sub_y;
    for (int i = 0; i < 4 && !field.cut; i++) {
      const int right = i % 2, down = i / 2;
      const MotionVector &v = field.vectors[std::clamp (w / 8 - 1 + down, 0, field.rows - 1) * field.columns
                                            + std::clamp (u / 8 - 1 + right, 0, field.columns - 1)];
      const long share = (right ? 2 * (u % 8) + 1 : 15 - 2 * (u % 8)) * (down ? 2 * (w % 8) + 1 : 15 - 2 * (w % 8));
      const int moved = moved_sample (c, luma, x, y, v);
      long each = share * part_of (v.sad);
      if (running)
        each = each * running * part_of (std::abs (moved - own) << (16 - depth) >> 1) / 16;
      value += each * moved;
      weight += each;
    }
  }
};

static int
settled (const Picture &picture, const Component &c, int own, int r, const MotionAverage &settings)
{
  const bool chroma = c.name == 'u' || c.name == 'v';
  const int limit = int (std::lround ((chroma ? settings.chroma_limit : settings.limit) * picture.max ()));
  return std::clamp (
      int (std::nearbyintf (float (own) + float (settings.strength) * float (r - own))), own - limit, own + limit);
}

}  // namespace motion

Picture
average_along_motion (const std::vector<Picture> &stored, int t, const MotionAverage &settings)
{
  const std::vector<Picture> stream = bounded (stored);
  const MotionSettings search{.scene_threshold = settings.scene_threshold};
  const int n = int (stream.size ()), reach = std::min (settings.frames / 2, 7);
  std::vector<std::pair<int, MotionField>> all;
  std::vector<MotionField> nearer;
  for (int distance = 1; distance <= reach; distance++) {
    std::vector<int> others;
    for (int other : {t - distance, t + distance})
      if (other >= 0 && other < n)
        others.push_back (other);
    std::vector<const Picture *> pictures;
    for (int other : others)
      pictures.push_back (&stream[other]);
    nearer = find_motion (stream[t], pictures, search, nearer, distance);
    for (size_t i = 0; i < others.size (); i++)
      all.emplace_back (others[i], nearer[i]);
  }
  Picture out = stream[t];
  const bool is_planar = std::string (out.layout->planes).starts_with ("y");
  std::vector<motion::Pyramid> pyramids;
  for (const Picture &each : stream)
    pyramids.emplace_back (each, search);
  for (size_t i = 0; i < out.components.size (); i++)
    for (int y = 0; y < out.components[i].height; y++)
      for (int x = 0; x < out.components[i].width && out.components[i].name != 'a'; x++) {
        const int own = stream[t].components[i].at (x, y);
        motion::Sum sum{own, out.layout->depth, settings.threshold};
        for (const auto &[other, field] : all)
          sum.add (stream[other].components[i], is_planar && i == 0 ? &pyramids[other] : nullptr, field, x, y);
        const int r = int ((sum.value + sum.weight / 2) / sum.weight);
        out.components[i].at (x, y) = motion::settled (out, out.components[i], own, r, settings);
      }
  return out;
}

std::vector<Picture>
run_along_motion (const std::vector<Picture> &stored, const MotionAverage &settings)
{
  const std::vector<Picture> stream = bounded (stored);
  const MotionSettings search{.scene_threshold = settings.scene_threshold};
  const bool is_planar = std::string (stream[0].layout->planes).starts_with ("y");
  std::vector<Picture> results{stream[0]};
  std::vector<std::vector<long>> rests;
  for (const Component &c : stream[0].components)
    rests.emplace_back (c.value.size ());
  for (size_t t = 1; t < stream.size (); t++) {
    const Picture &before = results.back ();
    const MotionField field = find_motion (stream[t], {&before}, search).front ();
    const motion::Pyramid pyramid (before, search);
    Picture out = stream[t];
    for (size_t i = 0; i < out.components.size (); i++)
      for (int y = 0; y < out.components[i].height; y++)
        for (int x = 0; x < out.components[i].width && out.components[i].name != 'a'; x++) {
          const int own = stream[t].components[i].at (x, y);
          motion::Sum sum{own, out.layout->depth, settings.threshold, std::min (settings.frames, 15) - 1};
          sum.add (before.components[i], is_planar && i == 0 ? &pyramid : nullptr, field, x, y);
          long &rest = rests[i][y * out.components[i].width + x];
          const long rounded = sum.value + sum.weight / 2 + ((sum.weight - 4096) >> 8) * rest, r = rounded / sum.weight;
          rest = 256 * (rounded % sum.weight) / sum.weight - 128;
          out.components[i].at (x, y) = motion::settled (out, out.components[i], own, int (r), settings);
        }
    results.push_back (out);
  }
  return results;
}

}  // namespace ref
