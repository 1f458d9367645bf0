/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference_parts.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace ref {

namespace motion {

struct Place {
  int x, y;

  bool operator== (const Place &) const = default;
};

struct Found {
  Place place{0, 0};
  long sad = 0;
};

struct Grid {
  int columns, rows;
  std::vector<Found> found;
};

int
six_taps (int a, int b, int c, int d, int e, int f, int max)
{
  return std::clamp ((a - 5 * b + 20 * c + 20 * d - 5 * e + f + 16) >> 5, 0, max);
}

Plane
luma_of (const Picture &picture)
{
  const Picture seen = bounded (picture);
  const Component &first = seen.components[0];
  Plane luma{first.width, first.height, first.value};
  const bool planar = std::string (picture.layout->planes).find (' ') != std::string::npos;
  if (picture.is_rgb () && !planar)
    for (size_t i = 0; i < luma.value.size (); i++)
      luma.value[i] =
          (30 * seen.find ('r')->value[i] + 59 * seen.find ('g')->value[i] + 11 * seen.find ('b')->value[i] + 50) / 100;
  return luma;
}

Plane
halved (const Plane &from)
{
  Plane to{(from.width + 1) / 2, (from.height + 1) / 2, {}};
  constexpr std::array weight{1, 3, 3, 1};
  for (int y = 0; y < to.height; y++)
    for (int x = 0; x < to.width; x++) {
      int sum = 0;
      for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++)
          sum += weight[i] * weight[j] * from.at (2 * x + i - 1, 2 * y + j - 1);
      to.value.push_back ((sum + 32) >> 6);
    }
  return to;
}

Pyramid::Pyramid (const Picture &picture, const MotionSettings &settings) : max (picture.max ())
{
  levels.push_back (luma_of (picture));
  const int most = settings.levels ? settings.levels : 6, least = settings.levels ? 2 : 2 * settings.block;
  while (int (levels.size ()) < most && std::min ((levels.back ().width + 1) / 2, (levels.back ().height + 1) / 2) >= least)
    levels.push_back (halved (levels.back ()));
  halves = {2 * (levels[0].width + margin), 2 * (levels[0].height + margin), {}};
  for (int y = 0; y < halves.height; y++)
    for (int x = 0; x < halves.width; x++)
      halves.value.push_back (interpolated (x - margin, y - margin));
}

int
Pyramid::right_half (int x, int y) const
{
  const auto p = [&] (int i) { return levels[0].at (x + i, y); };
  return six_taps (p (-2), p (-1), p (0), p (1), p (2), p (3), max);
}

int
Pyramid::interpolated (int x, int y) const
{
  const auto p = [&] (int i) { return x & 1 ? right_half (x >> 1, (y >> 1) + i) : levels[0].at (x >> 1, (y >> 1) + i); };
  return y & 1 ? six_taps (p (-2), p (-1), p (0), p (1), p (2), p (3), max) : p (0);
}

int
Pyramid::quarter (int level, int x, int y) const
{
  if (level > 0)
    return changed (levels[level].at (x >> 2, y >> 2));
  const int x0 = x >> 1, x1 = (x + 1) >> 1, y0 = y >> 1, y1 = (y + 1) >> 1;
  const bool swaps = (x & 1) && (y & 1) && (x0 + y0) % 2 == 0;
  return (half (x0, swaps ? y1 : y0) + half (x1, swaps ? y0 : y1) + 1) / 2;
}

void
match (Pyramid &a, Pyramid &b)
{
  const long unit = std::max ((a.max + 1) / 256, 1), n = long (a.levels.back ().value.size ());
  const auto sum = [&] (const auto &of) {
    long all = 0;
    for (long i = 0; i < n; i++)
      all += std::abs (of (a.levels.back ().value[i], b.levels.back ().value[i])) / unit;
    return all;
  };
  const long mean_a = sum ([] (long v, long) { return v; }) * unit / n,
             mean_b = sum ([] (long, long v) { return v; }) * unit / n;
  const long contrast_a = sum ([&] (long v, long) { return v - mean_a; }),
             contrast_b = sum ([&] (long, long v) { return v - mean_b; });
  const long plain = sum ([] (long v, long w) { return v - w; });
  const bool maps_b = contrast_b > contrast_a;
  Pyramid &from = maps_b ? b : a;
  from.change = maps_b ? Pyramid::Change{256 * contrast_a / contrast_b, mean_b, mean_a}
                       : Pyramid::Change{256 * contrast_b / std::max (contrast_a, 1l), mean_a, mean_b};
  const long rest = sum ([&] (long v, long w) { return maps_b ? from.changed (w) - v : from.changed (v) - w; });
  if (plain <= n || rest >= plain - plain / 4)
    from.change = {};
}

class Search {
public:
  Search (const Pyramid &own_, const Pyramid &other_, const MotionSettings &settings_, int spare_)
      : own (own_), other (other_), settings (settings_), spare (spare_),
        step (settings.block - int (settings.block * settings.overlap) / 4 * 4)
  {
  }

  Grid empty_grid (int level) const;
  /* Finds the blocks of a level. coarser: its vectors, or nullptr; hints: a place for each block, or empty. */
  Grid find (int level, const Grid *coarser, const std::vector<Place> &hints) const;
  MotionField judged (const std::vector<Grid> &levels) const;

  const Pyramid &own, &other;
  const MotionSettings &settings;
  const int spare, step;

private:
  struct Best : Found {
    Place middle{0, 0};
    long cost = LONG_MAX;
  };

  Place bounded_place (int level, int column, int row, Place place) const;
  long difference (int level, int column, int row, Place place) const;
  /* Returns the cost. */
  long attempt (Best &best, int level, int column, int row, Place place) const;
  void look_between (Best &best, int column, int row) const;
  int confidence (int column, int row, const Found &found) const;
  bool is_unmatched (int level, int column, int row, const Found &found) const;
};

Grid
Search::empty_grid (int level) const
{
  const auto along = [&] (int length) { return std::max (0, (length - settings.block + step - 1) / step) + 1; };
  Grid grid{along (own.levels[level].width), along (own.levels[level].height), {}};
  grid.found.resize (grid.columns * grid.rows);
  return grid;
}

/* A block stays within 12 pixels plus its own size of the picture. */
Place
Search::bounded_place (int level, int column, int row, Place place) const
{
  const int far = settings.block + 12, x = column * step, y = row * step;
  return {std::clamp (place.x, 4 * (-far - x), 4 * (own.levels[level].width + 12 - x)),
      std::clamp (place.y, 4 * (-far - y), 4 * (own.levels[level].height + 12 - y))};
}

long
Search::difference (int level, int column, int row, Place place) const
{
  long sum = 0;
  for (int y = row * step; y < row * step + settings.block; y++)
    for (int x = column * step; x < column * step + settings.block; x++)
      sum += std::abs (own.quarter (level, 4 * x, 4 * y) - other.quarter (level, 4 * x + place.x, 4 * y + place.y));
  return sum;
}

long
Search::attempt (Best &best, int level, int column, int row, Place place) const
{
  place = bounded_place (level, column, row, place);
  const long sad = difference (level, column, row, place), unit = (4 * settings.block * settings.block << spare) / 256;
  const long off = std::abs (place.x - best.middle.x) + std::abs (place.y - best.middle.y),
             cost = sad + unit * std::min (off, 64l);
  if (cost < best.cost) {
    best.place = place;
    best.sad = sad;
    best.cost = cost;
  }
  return cost;
}

/* Half pixels along both axes, then places between the best one of each axis and the next best. */
void
Search::look_between (Best &best, int column, int row) const
{
  const Place from = best.place;
  const long here = best.cost;
  const auto along = [&] (int x, int y) {
    const long lower = attempt (best, 0, column, row, {from.x - 2 * x, from.y - 2 * y}),
               higher = attempt (best, 0, column, row, {from.x + 2 * x, from.y + 2 * y});
    const int side = lower <= higher ? -1 : 1;
    return std::min (lower, higher) < here ? std::array{2 * side, -side} : std::array{0, side};
  };
  const auto x = along (1, 0), y = along (0, 1);
  const int last = settings.precision == 1;
  for (int j = 0; j <= last; j++)
    for (int i = 0; i <= last; i++)
      attempt (best, 0, column, row, {from.x + x[0] + i * x[1], from.y + y[0] + j * y[1]});
}

Grid
Search::find (int level, const Grid *coarser, const std::vector<Place> &hints) const
{
  Grid grid = empty_grid (level);
  for (int row = 0; row < grid.rows; row++)
    for (int column = 0; column < grid.columns; column++) {
      const int i = row * grid.columns + column;
      std::vector<Place> around (9);
      for (int n = 0; coarser && n < 9; n++) {
        const Place place = coarser
                                ->found[std::clamp (row / 2 + n / 3 - 1, 0, coarser->rows - 1) * coarser->columns
                                        + std::clamp (column / 2 + n % 3 - 1, 0, coarser->columns - 1)]
                                .place;
        around[n] = {2 * place.x, 2 * place.y};
      }
      const auto median = [&around] (int Place::*part) {
        std::vector<int> of;
        for (const Place &place : around)
          of.push_back (place.*part);
        std::ranges::sort (of);
        return of[4];
      };
      Best best;
      best.middle = {median (&Place::x), median (&Place::y)};
      const Place hint = hints.empty () ? Place{0, 0} : hints[i];
      for (const Place &place : {best.middle, around[4], hint, Place{0, 0}, around[1], around[3], around[5], around[7]})
        attempt (best, level, column, row, place);
      const Place first = best.place;
      for (int n = 0; !coarser && n < 17 * 17; n++)
        attempt (best, level, column, row, {first.x + 4 * (n % 17 - 8), first.y + 4 * (n / 17 - 8)});
      for (int round = 0; round < 3; round++) {
        const Place from = best.place;
        for (const auto [x, y] : {Place{0, -4}, Place{-4, 0}, Place{4, 0}, Place{0, 4}})
          attempt (best, level, column, row, {from.x + x, from.y + y});
        if (best.place == from)
          break;
      }
      if (level == 0 && settings.precision < 4)
        look_between (best, column, row);
      grid.found[i] = best;
    }
  return grid;
}

int
Search::confidence (int column, int row, const Found &found) const
{
  long next = LONG_MAX;
  for (int y = -8; y <= 8; y += 8)
    for (int x = -8; x <= 8; x += 8)
      if (x || y)
        next = std::min (next,
            difference (0, column, row, bounded_place (0, column, row, {(found.place.x & ~1) + x, (found.place.y & ~1) + y})));
  const long rise = std::max (next - found.sad, 0l) >> spare;
  return int (255 * rise / (rise + (found.sad >> spare) + settings.block * settings.block));
}

/* Changes are counted from their mean, which is 24 levels at most. */
bool
Search::is_unmatched (int level, int column, int row, const Found &found) const
{
  const long area = settings.block * settings.block;
  std::vector<long> samples, changes;
  Pyramid plain = other;
  plain.change = {};
  for (int y = row * step; y < row * step + settings.block; y++)
    for (int x = column * step; x < column * step + settings.block; x++) {
      samples.push_back (own.levels[level].at (x, y));
      changes.push_back (samples.back () - plain.quarter (level, 4 * x + found.place.x, 4 * y + found.place.y));
    }
  const auto sum_off = [] (const std::vector<long> &values, long mean) {
    return std::accumulate (values.begin (), values.end (), 0l, [&] (long sum, long v) { return sum + std::abs (v - mean); });
  };
  const long mean = (std::accumulate (samples.begin (), samples.end (), 0l) + area / 2) / area;
  const long change = std::clamp (std::accumulate (changes.begin (), changes.end (), 0l) / area, -24l << spare, 24l << spare);
  const long least = 5 * area << spare, off = sum_off (changes, change);
  const bool fades = own.change != plain.change || other.change != plain.change;
  return (fades || found.sad > least) && off > least && 2 * off > sum_off (samples, mean);
}

MotionField
Search::judged (const std::vector<Grid> &levels) const
{
  const int counted = std::min (2, int (levels.size ()) - 1), area = settings.block * settings.block;
  int unmatched = 0;
  for (int row = 0; row < levels[counted].rows; row++)
    for (int column = 0; column < levels[counted].columns; column++)
      unmatched += is_unmatched (counted, column, row, levels[counted].found[row * levels[counted].columns + column]);
  MotionField field{unmatched > settings.scene_threshold * levels[counted].columns * levels[counted].rows, levels[0].columns,
      levels[0].rows, step, {}};
  for (int row = 0; row < field.rows; row++)
    for (int column = 0; column < field.columns; column++) {
      const Found &found = levels[0].found[row * field.columns + column];
      const long full = long (area) * ((256 << spare) - 1);
      field.vectors.push_back ({found.place.x, found.place.y, int ((found.sad * 65535l + full / 2) / full),
          field.cut ? 0 : confidence (column, row, found)});
    }
  return field;
}

}  // namespace motion

std::vector<MotionField>
find_motion (const Picture &own, const std::vector<const Picture *> &others, const MotionSettings &settings,
    const std::vector<MotionField> &nearer, int distance)
{
  using namespace motion;
  using motion::Found, motion::Grid, motion::Place, motion::Pyramid, motion::Search;
  Pyramid self (own, settings);
  std::vector<Pyramid> pyramids;
  for (const Picture *other : others)
    pyramids.emplace_back (*other, settings);
  if (settings.matched)
    match (settings.matched == settings.first ? self : pyramids[0], settings.matched == settings.first ? pyramids[0] : self);
  std::vector<Search> searches;
  for (const Pyramid &pyramid : pyramids)
    searches.emplace_back (self, pyramid, settings, std::max (own.layout->depth - 8, 0));
  std::vector<std::vector<Grid>> found (others.size (), std::vector<Grid> (self.levels.size ()));
  const int coarsest = int (self.levels.size ()) - 1;
  for (int level = coarsest; level >= 0; level--)
    for (size_t i = 0; i < others.size (); i++) {
      std::vector<Place> hints;
      if (level == 0 && nearer.size () == others.size ())
        for (const MotionVector &v : nearer[i].vectors)
          hints.push_back ({v.x * (16 * distance / (distance - 1)) / 16, v.y * (16 * distance / (distance - 1)) / 16});
      found[i][level] = searches[i].find (level, level == coarsest ? nullptr : &found[i][level + 1], hints);
    }
  std::vector<MotionField> fields;
  for (size_t i = 0; i < others.size (); i++)
    fields.push_back (searches[i].judged (found[i]));
  return fields;
}

namespace motion {

int
moved_sample (const Component &c, const Pyramid *luma, int x, int y, const MotionVector &v)
{
  if (luma)
    return luma->quarter (0, 4 * x + v.x, 4 * y + v.y);
  const int x8 = 8 * x + (c.sub_x == 1 ? 2 * v.x : c.sub_x == 2 ? v.x : v.x >> 1);
  const int y8 = 8 * y + (c.sub_y == 1 ? 2 * v.y : c.sub_y == 2 ? v.y : v.y >> 1);
  const auto p = [&] (int i, int j) {
    return c.at (std::clamp ((x8 >> 3) + i, 0, c.width - 1), std::clamp ((y8 >> 3) + j, 0, c.height - 1));
  };
  const int f = x8 & 7, g = y8 & 7;
  return (((8 - f) * p (0, 0) + f * p (1, 0)) * (8 - g) + ((8 - f) * p (0, 1) + f * p (1, 1)) * g + 32) >> 6;
}

}  // namespace motion

}  // namespace ref
