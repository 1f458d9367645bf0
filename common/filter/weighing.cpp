/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Computes how much of the filtered picture each sample gets, for regions with shapes and soft edges, or for many regions. */
#include "filter/stage.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>
#include <utility>

namespace gst::cl {

namespace {

bool
overlap (const Rect &a, const Rect &b)
{
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/* Squares of the frame, each of which has a list of the regions in it; as in lib/weigh.cl. */
constexpr int tile = 64;

/* Tiles that a rectangle of the frame reaches. */
template <typename Visit>
void
each_tile (const Rect &shape, int across, int down, Visit visit)
{
  const auto range = [] (int at, int length, int most) {
    return std::pair (
        std::clamp (at / tile, 0, most), std::clamp (at < 0 && at + length <= 0 ? 0 : divide_up (at + length, tile), 0, most));
  };
  const auto [left, right] = range (shape.x, shape.width, across);
  const auto [top, bottom] = range (shape.y, shape.height, down);
  for (int y = top; y < bottom; y++)
    for (int x = left; x < right; x++)
      visit (y * across + x);
}

/* The table holds the shapes, as twice the centre and half the size in half pixels, then the start of each tile's list, then
 * the lists. */
std::vector<cl_int>
table_of (std::span<const Rect> shapes, int across, int down)
{
  std::vector<cl_int> table;
  for (const Rect &each : shapes)
    table.insert (table.end (), {2 * each.x + each.width, 2 * each.y + each.height, each.width, each.height});
  const size_t starts = table.size ();
  table.resize (starts + size_t (across) * down + 1);
  for (const Rect &each : shapes)
    each_tile (each, across, down, [&] (int at) { table[starts + at + 1]++; });
  for (size_t i = starts + 1; i < table.size (); i++)
    table[i] += table[i - 1];
  std::vector<cl_int> next (table.begin () + starts, table.end () - 1);
  const size_t lists = table.size ();
  table.resize (lists + table.back ());
  for (size_t i = 0; i < shapes.size (); i++)
    each_tile (shapes[i], across, down, [&] (int at) { table[lists + next[at]++] = cl_int (i); });
  return table;
}

}  // namespace

Rect
around (std::span<const Rect> rects)
{
  Rect all{};
  for (const Rect &each : rects) {
    if (each.empty ())
      continue;
    if (all.empty ())
      all = each;
    const int right = std::max (all.x + all.width, each.x + each.width);
    const int bottom = std::max (all.y + all.height, each.y + each.height);
    all.x = std::min (all.x, each.x);
    all.y = std::min (all.y, each.y);
    all.width = right - all.x;
    all.height = bottom - all.y;
  }
  return all;
}

std::vector<std::vector<Rect>>
layers_of (std::span<const Rect> rects, bool takes_several)
{
  std::vector<std::vector<Rect>> layers;
  std::vector<size_t> levels;
  for (const Rect &each : rects) {
    size_t level = takes_several ? 0 : layers.size ();
    for (size_t i = 0; takes_several && i < levels.size (); i++)
      if (overlap (each, rects[i]))
        level = std::max (level, levels[i] + 1);
    levels.push_back (level);
    if (level == layers.size ())
      layers.emplace_back ();
    layers[level].push_back (each);
  }
  return layers;
}

bool
is_cheaper_once (const Device &device, const std::vector<Rect> &rects)
{
  /* the launch overhead of one more rectangle, in samples; measured on PoCL and on an H100 */
  const gint64 launches = device.type & CL_DEVICE_TYPE_CPU ? 20'000 : 1'000'000;
  gint64 apart = 0;
  for (const Rect &each : rects)
    apart += each.empty () ? 0 : gint64 (each.width) * each.height + launches;
  const Rect all = around (rects);
  return apart > gint64 (all.width) * all.height + launches;
}

std::vector<WeighedPart>
parts_of (const Device &device, const Regions &regions, const std::vector<Rect> &rects, Apart apart)
{
  std::vector<WeighedPart> parts;
  if (apart == Apart::one_by_one && !regions.inverted) {
    for (size_t i = 0; i < rects.size (); i++)
      if (!rects[i].empty ())
        parts.push_back ({{rects[i]}, int (i), int (i + 1), rects[i]});
    return parts;
  }
  WeighedPart all{{}, 0, int (regions.shapes.size ()), around (rects)};
  std::ranges::copy_if (rects, std::back_inserter (all.rects), [] (const Rect &each) { return !each.empty (); });
  if (apart == Apart::no && is_cheaper_once (device, rects))
    all.rects = {all.bounds};
  if (!all.bounds.empty ())
    parts.push_back (std::move (all));
  return parts;
}

Weighing::Weighing (Runner &runner_, const Regions &regions_, int width_, int height_, const RowsOfFrame &rows_)
    : runner (runner_), regions (regions_), width (width_), height (height_), rows (rows_),
      tiles_across (divide_up (width, tile)), n_tiles (tiles_across * divide_up (height * rows.n_fields, tile))
{
  const std::vector<cl_int> content = table_of (regions.shapes, tiles_across, n_tiles / tiles_across);
  if (regions.mask)
    mask = runner.memory.changing ("mask", std::as_bytes (std::span (regions.mask->values)));
  table = runner.memory.changing ({"regions", rows.field}, std::as_bytes (std::span (content)));
}

void
Weighing::mix (const PlaneTask &task, const PlaneView *filtered, const WeighedPart &part, double amount) const
{
  const KernelSpec spec{
      .sources = {"lib/mix.clh", "lib/weigh.cl"}, .function = "mix_by_regions", .options = {{"IN_PLACE", !filtered}}};
  PlaneTask inside = task;
  inside.region = filtered ? part.bounds : Rect{0, 0, task.src.width, task.src.height};
  const PlaneLayout &layout = *task.src.layout;
  const cl_int4 mask_size = regions.mask ? cl_int4{{regions.mask->width, regions.mask->height, width, rows.height}} : cl_int4{};
  Arguments arguments{mix_amount (runner, amount), mix_amount (runner, 1)};
  if (filtered)
    arguments.insert (arguments.end (), {filtered->memory, filtered->offset, filtered->stride});
  arguments.insert (
      arguments.end (), {table, cl_int4{{int (regions.shapes.size ()), tiles_across, n_tiles, 0}},
                            cl_int2{{part.first, part.end}}, cl_int4{{width, height, rows.field, rows.n_fields}},
                            cl_int2{{layout.subsample_x, layout.subsample_y}}, cl_int (regions.ellipse),
                            cl_int (regions.inverted), cl_float (regions.feather), regions.mask ? mask : table, mask_size});
  runner.run (inside, Launch (spec, arguments).sized (runner.size_for (inside.region.width, inside.region.height, {64, 4})));
}

}  // namespace gst::cl
