/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/histogram_plan.hpp"

#include "core/arithmetic.hpp"
#include "shared/launches.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* A work-group of the gpu back end. */
struct Group {
  int items;
  /** The best number of groups per compute unit for an unknown GPU: as many as its local memory can hold; measured on an
   *  H200. */
  int per_unit;
};
constexpr Group usual_group{256, 6}, large_group{512, 2};
/* Larger histograms are counted by several groups, and made into tables by several groups. */
constexpr int most_values_of_last_group = 1024;
/* The smallest number of samples for an item; fewer do not pay for the group's counters. */
constexpr int gpu_least_items = 2;
/* Parts for each core, so that no core waits long for another. */
constexpr int cpu_parts_per_unit = 4;
/* The number of pixels from which counting in pairs pays. Each part clears and adds up its counters, which takes as long as
 * counting this many pixels saves. */
constexpr size_t cpu_pair_pays = 100000;
constexpr int pair_values = 256;
constexpr size_t pair_counter_bytes = size_t (pair_values + 1) * pair_values * sizeof (cl_uint);
/* Histograms with more values are counted in fewer parts. */
constexpr int few_values = 4096;

/* The count of n_rows rows of tiles. */
class HistogramJob {
public:
  HistogramJob (Runner &runner_, const PlaneTask &task_, HistogramOf of_, const HistogramTiles &tiles_, int first_row_,
      int n_rows_, const ScratchName &name_)
      : runner (runner_), task (task_), of (of_), tiles (tiles_), first_row (first_row_),
        n_tiles (size_t (tiles.columns) * n_rows_), name (name_), gpu (runner.backend () == Backend::gpu),
        n_samples (task.src.layout->samples_per_pixel), histograms (histograms_per_tile (task, of)),
        values (runner.format ().max_value () + 1),
        last_group (gpu && !byte_options (runner).empty () && values <= most_values_of_last_group)
  {
  }

  /* The counts are in `to`. */
  Launch counts (const ::cl::Buffer &to) const
  {
    if (last_group)
      return count ({}, {{"LAST_GROUP", 1}, {"EQUALIZE", 0}}, sums (), {arrivals (), to});
    return count ({}, {}, ClearedArgument (name, bytes ()), {});
  }

  ::cl::Buffer counted_to () const { return runner.memory.buffer (name, bytes ()); }

  Launches into_tables (const EqualizingTables &to) const
  {
    const size_t group = gpu ? usual_group.items : 1;
    const cl_int per_row = tiles.columns * histograms;
    const Arguments table{cl_int2{{to.range.black, to.range.white}}, to.total, to.limit,
        cl_int (first_row % to.held_rows * per_row), cl_int (to.held_rows * per_row), to.buffer};
    if (last_group)
      return {count ({"shared/scan.clh", "shared/equalized.clh"},
          {{"LAST_GROUP", 1}, {"EQUALIZE", 1}, {"COUNTS", "local"}, {"CLAHE", to.clahe}, {"SCANNED", "uint"}}, sums (),
          Arguments{arrivals ()} + table)};
    const Launch counting = count ({"shared/scan.clh", "shared/equalized.clh"},
        {{"COUNTS", "global"}, {"CLAHE", to.clahe}, {"SCANNED", "uint"}}, ClearedArgument (name, bytes ()), {});
    KernelSpec spec = counting.kernel; /* one program */
    spec.function = "equalize_table";
    return {counting,
        Launch::range (std::move (spec), {{group * n_tiles * histograms, 1}, {group, 1}}, Arguments{counted_to ()} + table)
            .on (task)};
  }

private:
  /* How a core counts: the number of parts of a tile, and whether values are counted in pairs. */
  struct CpuCount {
    int parts = 1;
    bool pairs = false;
  };

  CpuCount cpu_count () const
  {
    const auto &device = runner.cl ().device;
    const size_t units = std::max (2u, device.compute_units), pixels = size_t (tiles.width) * tiles.height;
    if (tiles.columns * tiles.rows != 1)
      return {};
    if (values == pair_values && pixels >= units * cpu_pair_pays && device.local_bytes >= pair_counter_bytes)
      return {.parts = int (pixels >= 2 * units * cpu_pair_pays ? 2 * units : units), .pairs = true};
    return {.parts = int (values > few_values ? units : units * cpu_parts_per_unit)};
  }

  /* histogram_count, together with the kernel part that uses its result: sources, options, and its arguments in `more`. */
  Launch count (
      const std::vector<const char *> &sources, const Options &options, const Argument &to, const Arguments &more) const
  {
    const CpuCount cpu = gpu ? CpuCount{} : cpu_count ();
    const int items_of_group = gpu ? (last_group ? large_group : usual_group).items : 1;
    KernelSpec spec{.sources = {"lib/point.clh", "lib/pixel.clh", "shared/intensity.clh"},
        .function = "histogram_count",
        .options = Options{{"HISTOGRAMS", histograms}, {"INTENSITY", of_rgb_intensity ()}, {"GROUP", items_of_group},
                       {"TILED", !gpu || tiles.columns * tiles.rows > 1}}
                   + (gpu ? byte_options (runner) : option_if (cpu.pairs, {"PAIRS", 1})) + options};
    const Rect &r = task.region;
    Arguments arguments{
        task.src.memory, task.src.offset, task.src.stride, cl_int4{{r.x * n_samples, r.y, r.width * n_samples, r.height}}};
    if (gpu)
      arguments.push_back (Runner::plane_argument (task));
    arguments.push_back (cl_int4{{tiles.columns, tiles.width * n_samples, tiles.height, first_row}});
    if (!gpu)
      arguments.push_back (cl_int (cpu.parts));
    arguments.insert (arguments.end (), {counted (), weights (), to});
    if (gpu)
      spec.item_samples = (n_samples == 3 ? 24 : 16) / runner.format ().sample_size ();
    spec.sources.insert (spec.sources.end (), sources.begin (), sources.end ());
    spec.sources.push_back ("shared/histogram.cl");
    const size_t groups = gpu ? gpu_groups (spec.item_samples) : n_tiles * cpu.parts;
    return Launch::range (
        std::move (spec), {{groups * items_of_group, gpu ? n_tiles : 1}, {size_t (items_of_group), 1}}, arguments + more)
        .on (task);
  }

  /* How many groups count a tile. */
  size_t gpu_groups (int item_samples) const
  {
    const Group &group = last_group ? large_group : usual_group;
    const size_t items = divide_up (size_t (tiles.width) * n_samples, item_samples) * tiles.height;
    constexpr int per_unit_to_try[] = {1, 2, 3, 4, 6, 8};
    const int per_unit =
        runner.kernels.choose ("shared/histogram.cl groups a unit", group.items, group.per_unit, per_unit_to_try);
    const size_t most = divide_up (size_t (runner.cl ().device.compute_units) * per_unit, n_tiles);
    return std::clamp<size_t> (items / (group.items * gpu_least_items), 1, most);
  }

  size_t bytes () const { return n_tiles * histograms * values * sizeof (cl_uint); }

  /* Counters, which are 0 before and after a launch, and a counter for each tile. */
  const ::cl::Buffer &sums () const { return runner.memory.zeros (name.with ("sums"), bytes ()); }
  const ::cl::Buffer &arrivals () const { return runner.memory.zeros (name.with ("arrivals"), n_tiles * sizeof (cl_uint)); }

  bool of_rgb_intensity () const { return of == HistogramOf::intensity && runner.format ().model == ColorModel::rgb; }

  cl_uint weights () const { return of_rgb_intensity () ? intensity_weights (*task.src.layout) : 0; }

  /* A bit for each sample of the pixel that is counted. */
  cl_int counted () const { return of == HistogramOf::intensity ? 1 : cl_int (samples_of (*task.src.layout, task.components)); }

  Runner &runner;
  const PlaneTask &task;
  const HistogramOf of;
  const HistogramTiles &tiles;
  const int first_row;
  const size_t n_tiles;
  const ScratchName &name;
  const bool gpu;
  const int n_samples, histograms, values;
  const bool last_group;
};

}  // namespace

int
histograms_per_tile (const PlaneTask &task, HistogramOf of)
{
  return of == HistogramOf::intensity ? 1 : task.src.layout->samples_per_pixel;
}

cl_uint
intensity_weights (const PlaneLayout &layout)
{
  constexpr cl_uint weights[] = {30, 59, 11, 0};
  cl_uint bytes = 0;
  for (int i = 0; i < layout.samples_per_pixel; i++)
    if (layout.components[i] != padding)
      bytes |= weights[layout.components[i]] << (8 * i);
  return bytes;
}

cl_uint
luma_weights (const Format &format, const PlaneLayout &layout)
{
  if (format.model == ColorModel::rgb)
    return intensity_weights (layout);
  const auto luma = std::ranges::find (layout.components, int (first)) - layout.components.begin ();
  return cl_uint (100) << (8 * luma);
}

HistogramCount
count_histogram (Runner &runner, const PlaneTask &task, HistogramOf of, const ScratchName &name)
{
  const HistogramTiles whole{.width = task.region.width, .height = task.region.height};
  const HistogramJob job (runner, task, of, whole, 0, 1, name);
  const ::cl::Buffer to = job.counted_to ();
  return {{job.counts (to)}, to};
}

Launches
make_tables (Runner &runner, const PlaneTask &task, HistogramOf of, const HistogramTiles &tiles, int first_row, int n_rows,
    const EqualizingTables &tables, const ScratchName &name)
{
  return HistogramJob (runner, task, of, tiles, first_row, n_rows, name).into_tables (tables);
}

}  // namespace gst::cl
