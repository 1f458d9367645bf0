/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

namespace ref {

/* The new value of each sample in a rectangle, before rounding. */
using Map = std::function<double (int x, int y)>;

static long
rounded_quotient (long numerator, long denominator)
{
  const long whole = numerator / denominator, twice_rest = 2 * (numerator % denominator);
  return whole + (twice_rest > denominator || (twice_rest == denominator && whole % 2));
}

Component
intensity_of (const Picture &picture)
{
  if (!picture.is_rgb ())
    return picture.components[0];
  const Component &r = *picture.find ('r'), &g = *picture.find ('g'), &b = *picture.find ('b');
  Component result = r;
  for (size_t i = 0; i < result.value.size (); i++)
    result.value[i] = (int) rounded_quotient (30L * r.value[i] + 59L * g.value[i] + 11L * b.value[i], 100);
  return result;
}

Rectangle
on_component (const Rectangle &region, const Component &component)
{
  const int x0 = region.x / component.sub_x, y0 = region.y / component.sub_y;
  const int x1 = (region.x + region.width + component.sub_x - 1) / component.sub_x;
  const int y1 = (region.y + region.height + component.sub_y - 1) / component.sub_y;
  return {x0, y0, std::min (x1, component.width) - x0, std::min (y1, component.height) - y0};
}

/* The range over which a component's values are spread, from black to white. */
struct Range {
  int black, white;

  /* Values outside count at the ends. */
  int bin (int value) const { return std::clamp (value, black, white) - black; }
  int bins () const { return white - black + 1; }
};

static Map
global_map (const Component &component, const Range &range, const Rectangle &r)
{
  const int max = range.bins () - 1;
  std::vector<long> count (range.bins ());
  for (const auto [x, y] : places_of (r))
    count[range.bin (component.at (x, y))]++;
  const long n = (long) r.width * r.height;
  const long cdf_min = *std::ranges::find_if (count, [] (long c) { return c > 0; });
  std::vector<int> table (max + 1);
  long cdf = 0;
  for (int v = 0; v <= max; v++) {
    cdf += count[v];
    if (cdf > 0 && n > cdf_min)
      table[v] = (int) rounded_quotient ((cdf - cdf_min) * max, n - cdf_min);
  }
  return [=, &component] (int x, int y) {
    const int v = component.at (x, y);
    return (double) (n == cdf_min ? v : range.black + table[range.bin (v)]);
  };
}

/* The table of one tile from its counts. */
static std::vector<double>
tile_table (std::vector<long> count, long area, double clip_limit)
{
  const long bins = (long) count.size ();
  if (clip_limit > 0) {
    const long limit = std::max (1L, (long) (clip_limit * (double) area / (double) bins));
    long excess = 0;
    for (long &c : count) {
      excess += std::max (0L, c - limit);
      c = std::min (c, limit);
    }
    /* evenly over all bins; the remainder goes to bins at equal distances, starting with the first */
    for (long &c : count)
      c += excess / bins;
    long rest = excess % bins;
    const long step = rest ? std::max (1L, bins / rest) : 1;
    for (long v = 0; v < bins && rest > 0; v += step, rest--)
      count[v]++;
  }
  std::vector<double> table (bins);
  long cdf = 0;
  for (long v = 0; v < bins; v++) {
    cdf += count[v];
    table[v] = (double) rounded_quotient (cdf * (bins - 1), area);
  }
  return table;
}

static Map
clahe_map (const Component &component, const Range &range, const Rectangle &r, const Equalize &set)
{
  /* the rectangle, extended to the right and down so that the tiles divide it */
  int wide = r.width, high = r.height;
  if (wide % set.tiles_x || high % set.tiles_y) {
    wide += set.tiles_x - wide % set.tiles_x;
    high += set.tiles_y - high % set.tiles_y;
  }
  const int tw = wide / set.tiles_x, th = high / set.tiles_y;
  const Border border{Border::Reflect101, 0};
  auto get = [&] (int x, int y) { return component.at (r.x + x, r.y + y); };
  std::vector<std::vector<double>> tables;
  for (const auto [tx, ty] : Places{set.tiles_x, set.tiles_y}) {
    std::vector<long> count (range.bins ());
    for (const auto [x, y] : Places{tw, th, tx * tw, ty * th})
      count[range.bin (sample (x, y, r.width, r.height, border, get, 0))]++;
    tables.push_back (tile_table (count, (long) tw * th, set.clip_limit));
  }
  return [=, &component, tables = std::move (tables)] (int x, int y) {
    /* in tiles, from the centre of the first one */
    const double u = (double) (x - r.x) / tw - 0.5, v = (double) (y - r.y) / th - 0.5;
    const double a = u - std::floor (u), b = v - std::floor (v);
    const int left = (int) std::floor (u), upper = (int) std::floor (v);
    auto value = [&] (int tx, int ty) {
      tx = std::clamp (tx, 0, set.tiles_x - 1);
      ty = std::clamp (ty, 0, set.tiles_y - 1);
      return range.black + tables[ty * set.tiles_x + tx][range.bin (component.at (x, y))];
    };
    return (1 - b) * ((1 - a) * value (left, upper) + a * value (left + 1, upper))
           + b * ((1 - a) * value (left, upper + 1) + a * value (left + 1, upper + 1));
  };
}

Picture
equalize (const Picture &in, const Equalize &set, const Rectangle &region)
{
  const int max = in.max ();
  Picture out = in;
  auto map_of = [&] (const Component &component) {
    const Rectangle r = on_component (region, component);
    const bool limited = !set.full && in.is_limited () && component.name == 'y';
    const Range range = limited ? Range{in.black (), in.white ()} : Range{0, max};
    return set.clahe ? clahe_map (component, range, r, set) : global_map (component, range, r);
  };
  const Component intensity = intensity_of (in);
  const Map luma = set.per_component ? Map () : map_of (intensity);
  for (size_t c = 0; c < in.components.size (); c++) {
    const Component &from = in.components[c];
    if (!set.per_component && !in.is_rgb () && c > 0)
      continue;
    if (from.name == 'x')
      continue;
    const Map own = set.per_component ? map_of (from) : Map ();
    for (const auto [x, y] : places_of (on_component (region, from))) {
      const int v = from.at (x, y);
      const int equal =
          set.per_component ? round_to_sample (own (x, y), max) : round_to_sample (luma (x, y), max) - intensity.at (x, y) + v;
      const int saturated = std::clamp (equal, 0, max);
      out.components[c].at (x, y) = round_to_sample (v + set.strength * (saturated - v), max);
    }
  }
  return out;
}

}  // namespace ref
