/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "equalize_plan.hpp"

#include <algorithm>
#include <bit>

namespace gst::cl {

namespace {

/* equalize_table.cl's GROUP */
constexpr int gpu_group = 256;
/* What a part of a histogram has at least, for a work item or a group to make its table. */
constexpr int cpu_least_part = 4096, gpu_least_part = 1024;
/* Histograms and tables of many tiles at 16 bits would take gigabytes. They are made of as many rows of tiles at a time
 * as this holds. */
constexpr size_t most_table_bytes = size_t (64) << 20;
/* A work item of the cpu back end writes a row. */
constexpr int whole_row = 1 << 30;

class Equalizer {
public:
  Equalizer (Runner &runner_, const PlaneTask &task_, const EqualizeSettings &settings_)
      : runner (runner_), task (task_), settings (settings_),
        of (settings.domain == EqualizeDomain::luma ? HistogramOf::intensity : HistogramOf::components),
        histograms (histograms_per_tile (task, of)), values (runner.format ().max_value () + 1),
        name ("equalize-" + std::to_string (task.plane))
  {
  }

  void whole () const;
  void tiles () const;

private:
  bool of_rgb_intensity () const
  {
    return of == HistogramOf::intensity && runner.format ().model == ColorModel::rgb;
  }

  int gpu_item_samples () const
  {
    const int samples = 16 / runner.format ().sample_size ();
    return task.src.layout->samples_per_pixel == 3 ? 3 * samples : samples;
  }

  std::string clahe_option () const
  {
    return settings.method == EqualizeMethod::clahe ? " -DCLAHE=1" : " -DCLAHE=0";
  }

  KernelSpec map_spec () const
  {
    return {.sources = {"lib/point.clh", "lib/intensity.clh", "equalize.cl"},
      .function = "equalize",
      .options = clahe_option () + " -DTABLES=" + std::to_string (histograms)
                 + (of_rgb_intensity () ? intensity_options (task) : ""),
      .item_samples = runner.backend () == Backend::gpu ? gpu_item_samples () : 1,
      .strip_samples = whole_row};
  }

  const ::cl::Buffer &make_tables (const ::cl::Buffer &counts, size_t total, cl_uint limit, int first, int n,
      int held) const;
  void map_rows (const HistogramTiles &tiles, const ::cl::Buffer &tables, int held, int from, int end) const;

  Runner &runner;
  const PlaneTask &task;
  const EqualizeSettings &settings;
  const HistogramOf of;
  const int histograms, values;
  const std::string name;
};

/* Tables of n histograms from `first` on, in a ring of `held`. */
const ::cl::Buffer &
Equalizer::make_tables (const ::cl::Buffer &counts, size_t total, cl_uint limit, int first, int n, int held) const
{
  const bool gpu = runner.backend () == Backend::gpu;
  const unsigned useful = std::max (1u, runner.cl ().device.compute_units * 4 / n);
  const unsigned possible = std::max (1, values / (gpu ? gpu_least_part : cpu_least_part));
  const size_t parts = std::min (std::bit_floor (useful), possible), group = gpu ? gpu_group : 1;
  const ::cl::Buffer &tables =
      runner.scratch (name + "-tables", size_t (held) * values * runner.format ().sample_size ());
  runner.launch_range ({.sources = {"equalize_table.cl"}, .function = "equalize_table", .options = clahe_option ()}, task,
      {parts * group, size_t (n)}, {group, 1}, counts, cl_uint (total), limit, cl_int (first), cl_int (held),
      cl_int (values / parts), tables);
  return tables;
}

void
Equalizer::whole () const
{
  const ::cl::Buffer &counts = enqueue_histogram (runner, task, of, values, name + "-counts");
  const size_t pixels = size_t (task.region.width) * task.region.height;
  const ::cl::Buffer &tables = make_tables (counts, pixels, CL_UINT_MAX, 0, histograms, histograms);
  if (of_rgb_intensity ()) {
    const KernelSpec spec = map_spec ();
    runner.launch (spec, task, Runner::part (task, task.region), tables);
    return;
  }
  const KernelSpec spec{.sources = {"lib/point.clh", "lut.cl"},
    .function = "map_samples",
    .options = " -DTABLES=" + std::to_string (histograms),
    .item_samples = runner.backend () == Backend::gpu ? gpu_item_samples () : 1,
    .strip_samples = whole_row};
  runner.launch (spec, task, Runner::part (task, task.region), tables);
}

/* Writes the rows from .. end - 1 of the region. */
void
Equalizer::map_rows (const HistogramTiles &tiles, const ::cl::Buffer &tables, int held, int from, int end) const
{
  const Rect &r = task.region;
  const Rect rows{r.x, r.y + from, r.width, end - from};
  if (rows.empty ())
    return;
  runner.launch (map_spec (), task, Runner::part (task, rows), tables,
      cl_int4{{tiles.columns, tiles.rows, 0, held}},
      cl_int4{{tiles.width, tiles.height, r.x * task.src.layout->samples_per_pixel, r.y}});
}

void
Equalizer::tiles () const
{
  const HistogramTiles tiles = clahe_tiles (task.region, settings.tiles_x, settings.tiles_y);
  const size_t area = size_t (tiles.width) * tiles.height;
  const int per_row = tiles.columns * histograms;
  const double wanted_limit = settings.clip_limit * double (area) / values;
  const cl_uint limit =
      settings.clip_limit > 0 ? cl_uint (std::clamp (wanted_limit, 1., double (CL_UINT_MAX))) : CL_UINT_MAX;

  const size_t row_bytes = size_t (per_row) * values * (sizeof (cl_uint) + runner.format ().sample_size ());
  const int held = int (std::clamp<size_t> (most_table_bytes / row_bytes, std::min (2, tiles.rows), tiles.rows));
  /* what lies between the centres of two rows of tiles needs the tables of both */
  for (int done = 0, written = 0; done < tiles.rows;) {
    const int n = std::min (done > 0 ? held - 1 : held, tiles.rows - done);
    const ::cl::Buffer &counts = enqueue_tile_histograms (runner, task, of, tiles, done, n, held, name + "-counts");
    const ::cl::Buffer &tables = make_tables (counts, area, limit, done % held * per_row, n * per_row, held * per_row);
    done += n;
    const int last_center = ((2 * done - 1) * tiles.height + 1) / 2;
    const int end = done == tiles.rows ? task.region.height : std::min (last_center, task.region.height);
    map_rows (tiles, tables, held, written, end);
    written = std::max (written, end);
  }
}

}  // namespace

HistogramTiles
clahe_tiles (const Rect &rect, int columns, int rows)
{
  int width = rect.width, height = rect.height;
  if (width % columns || height % rows) {
    width += columns - width % columns;
    height += rows - height % rows;
  }
  return {columns, rows, width / columns, height / rows};
}

void
equalize_whole (Runner &runner, const PlaneTask &task, const EqualizeSettings &settings)
{
  Equalizer (runner, task, settings).whole ();
}

void
equalize_tiles (Runner &runner, const PlaneTask &task, const EqualizeSettings &settings)
{
  Equalizer (runner, task, settings).tiles ();
}

}  // namespace gst::cl
