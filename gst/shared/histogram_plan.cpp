/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/histogram_plan.hpp"

#include "core/arithmetic.hpp"
#include "shared/byte_options.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* A work-group of the gpu back end. */
struct Group {
  int items;
  /** What is best on a GPU of unknown kind: as many as its local memory has room for; measured on an H200. */
  int per_unit;
};
constexpr Group usual_group{256, 6}, large_group{512, 2};
constexpr int clear_group = 256;
/* Histograms of more values are counted by several groups, and made into tables by as many. */
constexpr int most_values_of_last_group = 1024;
/* What an item should count at least, to be worth the group's counters. */
constexpr int gpu_least_items = 2;
/* Parts per core, so that none waits long for another. */
constexpr int cpu_parts_per_unit = 4;
/* Where values are counted in pairs: few, since each part clears and adds up its counters, which takes as long as counting
 * so many pixels saves. */
constexpr size_t cpu_pair_pays = 100000;
constexpr int pair_values = 256;
constexpr size_t pair_counter_bytes = size_t (pair_values + 1) * pair_values * sizeof (cl_uint);
/* Histograms of more values than this are kept few. */
constexpr int few_values = 4096;
constexpr int sum_group = 64;

/* What a work item of the gpu back end loads: 16 bytes, and whole pixels. */
int
gpu_item_samples (const PlaneTask &task, int sample_size)
{
  const int samples = 16 / sample_size;
  return task.src.layout->samples_per_pixel == 3 ? 3 * samples : samples;
}

class HistogramJob {
public:
  HistogramJob (
      Runner &runner_, const PlaneTask &task_, HistogramOf of_, const HistogramTiles &tiles_, int first_row_, int held_rows_)
      : runner (runner_), task (task_), of (of_), tiles (tiles_), first_row (first_row_), held_rows (held_rows_),
        n_samples (task.src.layout->samples_per_pixel), histograms (histograms_per_tile (task, of)),
        values (runner.format ().max_value () + 1), cpu (runner.backend () == Backend::cpu ? cpu_count () : CpuCount{})
  {
  }

  void on_cpu (int n_rows, const ::cl::Buffer &counts, const ScratchName &name) const
  {
    const int parts = cpu.parts;
    const size_t jobs = size_t (tiles.columns) * n_rows * parts;
    const size_t bytes = size_t (parts) * histograms * values * sizeof (cl_uint);
    const ::cl::Buffer &parted = parts > 1 ? runner.memory.buffer (name.with ("parts"), bytes) : counts;
    runner.launch_range (spec_for ("histogram_count"), task, {{jobs, 1}, {1, 1}},
        {task.src.memory, cl_int (task.src.offset), cl_int (task.src.stride), region (), tile_argument (), cl_int (parts),
            cl_int (held_rows), counted (), weights (), parted});
    if (parts == 1)
      return;
    runner.launch_range (spec_for ("histogram_sum"), task, {{size_t (values), size_t (histograms)}, {sum_group, 1}},
        {parted, cl_int (parts), counts});
  }

  void on_gpu (int n_rows, const ::cl::Buffer &counts, const ScratchName &name) const
  {
    if (counts_into_tables (runner)) {
      count_and_copy (n_rows, counts, name);
      return;
    }
    /* rows of tiles that follow one another, except for the end of the ring */
    const size_t row = size_t (tiles.columns) * histograms * values;
    const int begin = first_row % held_rows, before_end = std::min (n_rows, held_rows - begin);
    for (const auto &[from, rows] : {std::pair (begin, before_end), {0, n_rows - before_end}})
      if (rows > 0)
        runner.launch_range (spec_for ("histogram_clear"), task,
            {{divide_up (row * rows, clear_group) * clear_group, 1}, {clear_group, 1}},
            {counts, cl_uint (row * from), cl_uint (row * rows)});
    count (spec_for ("histogram_count"), n_rows, counts);
  }

  void into_tables (int n_rows, const EqualizingTables &to, const ScratchName &name) const
  {
    KernelSpec spec = spec_for ("histogram_count");
    spec.sources.insert (spec.sources.end () - 2, "shared/equalized.clh");
    spec.options += {{"LAST_GROUP", 1}, {"EQUALIZE", 1}, {"COUNTS", "local"}, {"CLAHE", to.clahe}};
    const Sums from = sums (name);
    count (
        spec, n_rows, from.counters, from.arrivals, cl_int2{{to.range.black, to.range.white}}, to.total, to.limit, to.buffer);
  }

private:
  /* Into how many parts a tile is cut, which a second kernel adds up, and whether values are counted in pairs. */
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

  KernelSpec spec_for (const char *function) const
  {
    Options options{{"HISTOGRAMS", histograms}, {"INTENSITY", of_rgb_intensity ()}};
    const bool gpu = runner.backend () == Backend::gpu;
    if (gpu)
      options += Options{{"GROUP", group ().items}, {"TILED", tiles.columns * tiles.rows > 1}} + byte_options (runner);
    else
      options += {{"PAIRS", cpu.pairs}, {"TILED", 1}};
    return {.sources = {"lib/point.clh", "shared/intensity.clh", "shared/histogram_tiles.clh",
                gpu ? "shared/last_group.clh" : "shared/count_values.clh", "shared/histogram.cl"},
        .function = function,
        .options = options,
        .item_samples = gpu ? gpu_item_samples (task, runner.format ().sample_size ()) : 1};
  }

  Group group () const { return counts_into_tables (runner) ? large_group : usual_group; }

  /* Enqueues histogram_count, with what follows `counted`. */
  template <typename... Arguments> void count (const KernelSpec &spec, int n_rows, const Arguments &...arguments) const
  {
    const size_t n_tiles = size_t (tiles.columns) * n_rows, items_of_group = group ().items;
    const size_t items = divide_up (size_t (tiles.width) * n_samples, spec.item_samples) * tiles.height;
    constexpr int per_unit_to_try[] = {1, 2, 3, 4, 6, 8};
    const int per_unit =
        runner.kernels.choose ("shared/histogram.cl groups a unit", group ().items, group ().per_unit, per_unit_to_try);
    const size_t most = divide_up (size_t (runner.cl ().device.compute_units) * per_unit, n_tiles);
    const size_t parts = std::clamp<size_t> (items / (items_of_group * gpu_least_items), 1, most);
    runner.launch_range (spec, task, {{parts * items_of_group, n_tiles}, {items_of_group, 1}},
        {task.src.memory, cl_int (task.src.offset), cl_int (task.src.stride), region (), Runner::plane_argument (task),
            tile_argument (), cl_int (held_rows), counted (), weights (), arguments...});
  }

  void count_and_copy (int n_rows, const ::cl::Buffer &counts, const ScratchName &name) const
  {
    KernelSpec spec = spec_for ("histogram_count");
    spec.options += {{"LAST_GROUP", 1}, {"EQUALIZE", 0}};
    const Sums from = sums (name);
    count (spec, n_rows, from.counters, from.arrivals, counts);
  }

  /* Counters that are 0, and behind them one for each tile. */
  struct Sums {
    ::cl::Buffer counters, arrivals;
  };
  Sums sums (const ScratchName &name) const
  {
    const size_t n_tiles = size_t (held_rows) * tiles.columns;
    return {runner.memory.zeros (name.with ("sums"), n_tiles * histograms * values * sizeof (cl_uint)),
        runner.memory.zeros (name.with ("arrivals"), n_tiles * sizeof (cl_uint))};
  }

  cl_int4 region () const
  {
    const Rect &r = task.region;
    return {{r.x * n_samples, r.y, r.width * n_samples, r.height}};
  }

  cl_int4 tile_argument () const { return {{tiles.columns, tiles.width * n_samples, tiles.height, first_row}}; }

  bool of_rgb_intensity () const { return of == HistogramOf::intensity && runner.format ().model == ColorModel::rgb; }

  cl_uint weights () const { return of_rgb_intensity () ? intensity_weights (*task.src.layout) : 0; }

  /* A bit for each sample of the pixel that is to be counted. */
  cl_int counted () const { return of == HistogramOf::intensity ? 1 : cl_int (samples_of (*task.src.layout, task.components)); }

  Runner &runner;
  const PlaneTask &task;
  const HistogramOf of;
  const HistogramTiles &tiles;
  const int first_row, held_rows, n_samples, histograms, values;
  const CpuCount cpu;
};

const ::cl::Buffer &
enqueue (Runner &runner, const PlaneTask &task, HistogramOf of, const HistogramTiles &tiles, int first_row, int n_rows,
    int held_rows, const ScratchName &name)
{
  const HistogramJob job (runner, task, of, tiles, first_row, held_rows);
  const size_t counters =
      size_t (held_rows) * tiles.columns * histograms_per_tile (task, of) * (runner.format ().max_value () + 1);
  const ::cl::Buffer &counts = runner.memory.buffer (name, counters * sizeof (cl_uint));
  if (runner.backend () == Backend::cpu)
    job.on_cpu (n_rows, counts, name);
  else
    job.on_gpu (n_rows, counts, name);
  return counts;
}

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

const ::cl::Buffer &
enqueue_histogram (Runner &runner, const PlaneTask &task, HistogramOf of, const ScratchName &name)
{
  const HistogramTiles whole{.width = task.region.width, .height = task.region.height};
  return enqueue (runner, task, of, whole, 0, 1, 1, name);
}

const ::cl::Buffer &
enqueue_tile_histograms (Runner &runner, const PlaneTask &task, HistogramOf of, const HistogramTiles &tiles, int first_row,
    int n_rows, int held_rows, const ScratchName &name)
{
  return enqueue (runner, task, of, tiles, first_row, n_rows, held_rows, name);
}

bool
counts_into_tables (const Runner &runner)
{
  return runner.backend () == Backend::gpu && !byte_options (runner).empty ()
         && runner.format ().max_value () < most_values_of_last_group;
}

void
enqueue_tables (Runner &runner, const PlaneTask &task, HistogramOf of, const HistogramTiles &tiles, int first_row, int n_rows,
    int held_rows, const EqualizingTables &tables, const ScratchName &name)
{
  HistogramJob (runner, task, of, tiles, first_row, held_rows).into_tables (n_rows, tables, name);
}

}  // namespace gst::cl
