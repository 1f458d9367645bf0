/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include "../motion/reference_parts.hpp"

#include <cstdlib>
#include <string>

namespace ref {

namespace framerate {

constexpr int block = 16, step = 8;

struct Vector {
  int x, y;

  bool operator== (const Vector &) const = default;
};

struct Path {
  Vector a, b;
  long share, quality = 256;
};

class Paths {
public:
  Paths (const Picture &a_, const Picture &b_, const Between &wanted_)
      : wanted (wanted_), a (a_, {}), b (b_, {}), level (256l << std::max (a_.layout->depth - 8, 0)),
        onward (find_motion (a_, {&b_}, search (MotionSettings::first)).front ()),
        back (find_motion (b_, {&a_}, search (MotionSettings::second)).front ())
  {
    if (!wanted.still)
      motion::match (seen_a, seen_b);
  }

  Path at (int column, int row) const;

  const Between wanted;
  const motion::Pyramid a, b;
  const long level;
  const MotionField onward, back;

private:
  MotionSettings search (decltype (MotionSettings::matched) matched) const
  {
    return {.precision = wanted.still ? 4 : 1,
        .scene_threshold = wanted.scene_threshold,
        .matched = wanted.still ? MotionSettings::none : matched};
  }

  /* Equally bright in a fade. */
  motion::Pyramid seen_a = a, seen_b = b;

  Vector bounded_place (int column, int row, Vector v) const;
  Vector in_a (int column, int row, Vector v) const;
  Vector in_b (int column, int row, Vector v) const;
  long sum_of (int column, int row, Vector from, Vector to) const;
  long sum (int column, int row, Vector v) const { return sum_of (column, row, in_a (column, row, v), in_b (column, row, v)); }
  Path moving (int column, int row) const;
};

/* The vector of the block nearest to a position. */
const MotionVector &
near (const MotionField &field, int column, int row, Vector place)
{
  const int x = std::clamp (column + ((place.x + 16) >> 5), 0, field.columns - 1);
  return field.vectors[std::clamp (row + ((place.y + 16) >> 5), 0, field.rows - 1) * field.columns + x];
}

/* A block stays within 12 pixels plus its own size of the picture. */
Vector
Paths::bounded_place (int column, int row, Vector v) const
{
  const int far = block + 12, x = column * step, y = row * step;
  return {std::clamp (v.x, 4 * (-far - x), 4 * (a.levels[0].width + 12 - x)),
      std::clamp (v.y, 4 * (-far - y), 4 * (a.levels[0].height + 12 - y))};
}

Vector
Paths::in_a (int column, int row, Vector v) const
{
  return bounded_place (column, row, {-((v.x * wanted.phase + 128) >> 8), -((v.y * wanted.phase + 128) >> 8)});
}

Vector
Paths::in_b (int column, int row, Vector v) const
{
  return bounded_place (column, row, {v.x - ((v.x * wanted.phase + 128) >> 8), v.y - ((v.y * wanted.phase + 128) >> 8)});
}

long
Paths::sum_of (int column, int row, Vector from, Vector to) const
{
  long sum = 0;
  for (int y = row * step; y < row * step + block; y++)
    for (int x = column * step; x < column * step + block; x++)
      sum += std::abs (seen_a.quarter (0, 4 * x + from.x, 4 * y + from.y) - seen_b.quarter (0, 4 * x + to.x, 4 * y + to.y));
  return sum;
}

Path
Paths::at (int column, int row) const
{
  if (onward.cut || back.cut)
    return {{0, 0}, {0, 0}, wanted.phase > 128 ? 256 : 0};
  return wanted.still ? Path{{0, 0}, {0, 0}, wanted.phase} : moving (column, row);
}

Path
Paths::moving (int column, int row) const
{
  const auto path = [] (const MotionVector &v, int sign) { return Vector{sign * v.x, sign * v.y}; };
  const Vector ahead = path (near (onward, column, row, {0, 0}), 1), behind = path (near (back, column, row, {0, 0}), -1);
  std::vector<Vector> places{{0, 0}, {0, 0}, in_a (column, row, ahead), in_b (column, row, behind)}, candidates;
  for (int y = -32; y <= 32; y += 32)
    for (int x = -32; x <= 32; x += 32)
      if (x || y)
        places.insert (places.end (), 2, {x, y});
  for (size_t i = 0; i < places.size (); i++)
    candidates.push_back (path (near (i % 2 ? back : onward, column, row, places[i]), i % 2 ? -1 : 1));
  const Vector middle{(ahead.x + behind.x) >> 1, (ahead.y + behind.y) >> 1};
  const auto apart = [] (Vector v, Vector w) { return long (std::abs (v.x - w.x) + std::abs (v.y - w.y)); };
  const long still = sum (column, row, {0, 0});
  Vector best{0, 0};
  long best_sum = still, cost = std::max (still - std::min (still / 3, 2 * level) - level, 0l);
  for (const Vector &v : candidates) {
    const long price = std::min (level / 64 * apart (v, middle), 4 * level), own = v == best ? best_sum : sum (column, row, v);
    if (v == best || own + price >= cost)
      continue;
    best = v;
    best_sum = own;
    cost = own + price;
  }
  Path made{in_a (column, row, best), in_b (column, row, best), wanted.phase, std::max (256 * level / (level + best_sum), 1l)};
  const Vector other_a = in_a (column, row, behind), other_b = in_b (column, row, ahead);
  const long found_a = near (onward, column, row, made.a).sad, found_b = near (back, column, row, made.b).sad;
  if ((column + row) % 2 && apart (ahead, behind) < 8 * block && 2 * sum_of (column, row, other_a, other_b) < 3 * best_sum) {
    made.a = other_a;
    made.b = other_b;
  } else if (std::min (found_a, found_b) >= 8 * 257 && 3 * still < 5 * best_sum)
    made.a = made.b = {0, 0};
  const long of_a = (256 - wanted.phase) * (near (onward, column, row, made.a).sad + 257) / 256,
             of_b = wanted.phase * (near (back, column, row, made.b).sad + 257) / 256;
  if (best_sum > 2 * level)
    made.share = 256 * of_b / (of_a + of_b);
  return made;
}

}  // namespace framerate

Picture
between_frames (const Picture &stored_a, const Picture &stored_b, const Between &settings)
{
  const Picture a = bounded (stored_a), b = bounded (stored_b);
  using framerate::Path, framerate::Paths, framerate::Vector;
  const Paths paths (a, b, settings);
  std::vector<Path> found;
  for (int row = 0; row < paths.onward.rows; row++)
    for (int column = 0; column < paths.onward.columns; column++)
      found.push_back (paths.at (column, row));
  const bool is_planar = std::string (a.layout->planes).starts_with ("y");
  Picture out = stored_a;
  for (size_t i = 0; i < out.components.size (); i++) {
    Component &to = out.components[i];
    const bool luma = is_planar && i == 0;
    for (int y = 0; y < to.height && to.name != 'a'; y++)
      for (int x = 0; x < to.width; x++) {
        const int u = x * to.sub_x, w = y * to.sub_y;
        const int depth = out.layout->depth;
        long sum = 0, all = 0;
        for (int n = 0; n < 4; n++) {
          const int right = n % 2, down = n / 2;
          const Path &path = found[std::clamp (w / 8 - 1 + down, 0, paths.onward.rows - 1) * paths.onward.columns
                                   + std::clamp (u / 8 - 1 + right, 0, paths.onward.columns - 1)];
          const long weight =
              (right ? 2 * (u % 8) + 1 : 15 - 2 * (u % 8)) * (down ? 2 * (w % 8) + 1 : 15 - 2 * (w % 8)) * path.quality;
          const auto moved = [&] (const Picture &from, const motion::Pyramid &pyramid, Vector v) {
            return motion::moved_sample (from.components[i], luma ? &pyramid : nullptr, x, y, {v.x, v.y, 0, 0});
          };
          const long mean = (256 - path.share) * moved (a, paths.a, path.a) + path.share * moved (b, paths.b, path.b);
          sum += weight * ((mean + (depth == 16 ? 128 : 0)) >> (depth - 8));
          all += weight;
        }
        to.at (x, y) = int (((sum + all / 2) / all + (1 << (16 - depth) >> 1)) >> (16 - depth));
      }
  }
  return out;
}

}  // namespace ref
