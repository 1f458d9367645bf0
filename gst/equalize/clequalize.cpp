/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clequalize: equalises the histogram of each frame, either for the whole picture or by tiles with limited contrast (CLAHE).
 * */
#include "filter/copies.hpp"
#include "filter/gstclfilter.hpp"
#include "shared/histogram_plan.hpp"
#include "shared/map_samples.hpp"

#include <algorithm>
#include <bit>

using namespace gst::cl;

namespace {

enum class EqualizeMethod { global, clahe };

/* luma is what intensity was called. */
enum class EqualizeDomain { intensity, per_component, luma };

struct EqualizeSettings {
  EqualizeMethod method = EqualizeMethod::global;
  EqualizeDomain domain = EqualizeDomain::intensity;
  /* In means of the bins; 0 does not clip. */
  double clip_limit = 2;
  int tiles_x = 8, tiles_y = 8;
  Range range = Range::automatic;
};

/* Items of a group that makes tables. */
constexpr int clahe_group = 256;
/* Measured on an H200. */
constexpr int cell_groups_per_unit = 8;
/* Minimum size of a part of a histogram for which a work item or a group makes the table. */
constexpr int cpu_least_part = 4096, gpu_least_part = 1024;
/* Histograms and tables of many tiles at 16 bits would take gigabytes. They are made for as many rows of tiles at a
 * time as fit into this. */
constexpr size_t most_table_bytes = size_t (64) << 20;

/* The tiles of a rectangle. If one direction is not divisible, both get more pixels until they are. */
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

/* How a plane is equalised: histograms, tables from them, and the map, all on the device. */
class Equalizer {
public:
  /* range: what values are spread over */
  Equalizer (Runner &runner_, const PlaneTask &task_, const EqualizeSettings &settings_, const BlackWhite &range_)
      : runner (runner_), task (task_), settings (settings_), range (range_),
        of (settings.domain != EqualizeDomain::per_component ? HistogramOf::intensity : HistogramOf::components),
        histograms (histograms_per_tile (task, of)), values (runner.format ().max_value () + 1), name ("equalize", task.plane)
  {
  }

  /* Enqueues what writes task.region with one table. */
  void whole () const
  {
    const size_t pixels = size_t (task.region.width) * task.region.height;
    const HistogramTiles all{.width = task.region.width, .height = task.region.height};
    if (of_rgb_intensity ())
      runner.prepare ({map_spec ()}, task);
    const ::cl::Buffer &tables = tables_of (all, pixels, CL_UINT_MAX, 0, 1, 1);
    if (of_rgb_intensity ()) {
      const KernelSpec spec = map_spec ();
      runner.launch (spec, task, Patch::of (task), {weights (), tables});
      return;
    }
    map_samples (runner, task, tables, histograms);
  }

  /* The same with tables of tiles. */
  void tiles () const
  {
    const HistogramTiles tiles = clahe_tiles (task.region, settings.tiles_x, settings.tiles_y);
    if (!maps_cells ())
      runner.prepare ({map_spec ()}, task);
    const size_t area = size_t (tiles.width) * tiles.height;
    const int per_row = tiles.columns * histograms;
    const double wanted_limit = settings.clip_limit * double (area) / (range.white - range.black + 1);
    const cl_uint limit = settings.clip_limit > 0 ? cl_uint (std::clamp (wanted_limit, 1., double (CL_UINT_MAX))) : CL_UINT_MAX;

    const size_t row_bytes = size_t (per_row) * values * (sizeof (cl_uint) + runner.format ().sample_size ());
    const int held = int (std::clamp<size_t> (most_table_bytes / row_bytes, std::min (2, tiles.rows), tiles.rows));
    /* what lies between the centres of two rows of tiles needs the tables of both */
    for (int done = 0, written = 0; done < tiles.rows;) {
      const int n = std::min (done > 0 ? held - 1 : held, tiles.rows - done);
      const ::cl::Buffer &tables = tables_of (tiles, area, limit, done, n, held);
      done += n;
      const int last_center = ((2 * done - 1) * tiles.height + 1) / 2;
      const int end = done == tiles.rows ? task.region.height : std::min (last_center, task.region.height);
      map_rows (tiles, tables, held, written, end);
      written = std::max (written, end);
    }
  }

private:
  bool of_rgb_intensity () const { return of == HistogramOf::intensity && runner.format ().model == ColorModel::rgb; }

  cl_uint weights () const { return of_rgb_intensity () ? intensity_weights (*task.src.layout) : 0; }

  int gpu_item_samples () const
  {
    const int samples = 16 / runner.format ().sample_size ();
    return task.src.layout->samples_per_pixel == 3 ? 3 * samples : samples;
  }

  Option clahe_option () const { return {"CLAHE", settings.method == EqualizeMethod::clahe}; }

  KernelSpec map_spec () const
  {
    return {.sources = {"lib/point.clh", "shared/intensity.clh", "shared/lookup.clh", "equalize/tiles.clh",
                "equalize/equalize.cl"},
        .function = "equalize",
        .options = Options{clahe_option (), {"TABLES", histograms}, {"INTENSITY", of_rgb_intensity ()}} + byte_options (runner),
        .item_samples = runner.backend () == Backend::gpu ? gpu_item_samples () : 1,
        .item_rows = settings.method == EqualizeMethod::clahe ? 1 : lookup_item_rows (runner, task),
        .local_y = 8,
        .tunable = free_on_gpu (runner.backend () == Backend::gpu, gpu_item_samples (), any_rows)};
  }

  /** n rows of tiles from first_row on, in a ring of `held`; total and limit as those of EqualizingTables. */
  const ::cl::Buffer &tables_of (const HistogramTiles &tiles, size_t total, cl_uint limit, int first_row, int n, int held) const
  {
    const int per_row = tiles.columns * histograms;
    const ::cl::Buffer &tables =
        runner.memory.buffer (name.with ("tables"), size_t (held) * per_row * values * runner.format ().sample_size ());
    const EqualizingTables to{settings.method == EqualizeMethod::clahe, range, cl_uint (total), limit, tables};
    if (counts_into_tables (runner)) {
      enqueue_tables (runner, task, of, tiles, first_row, n, held, to, name.with ("counts"));
      return tables;
    }
    const ::cl::Buffer &counts = enqueue_tile_histograms (runner, task, of, tiles, first_row, n, held, name.with ("counts"));
    make_tables (counts, to, first_row % held * per_row, n * per_row, held * per_row);
    return tables;
  }

  /* Tables of n histograms from `first` on, in a ring of `held`. */
  void make_tables (const ::cl::Buffer &counts, const EqualizingTables &to, int first, int n, int held) const
  {
    const bool gpu = runner.backend () == Backend::gpu;
    const unsigned useful = std::max (1u, runner.cl ().device.compute_units * 4 / n);
    const unsigned possible = std::max (1, values / (gpu ? gpu_least_part : cpu_least_part));
    const size_t parts = std::min (std::bit_floor (useful), possible), group = gpu ? clahe_group : 1;
    const Options gpu_options = gpu ? Options{{"COUNTS", "global"}, {"GROUP", clahe_group}} : Options{};
    const cl_int2 ends{{to.range.black, to.range.white}};
    KernelSpec spec{.sources = {"shared/equalized.clh", "equalize/table.cl"},
        .function = "gather_ends",
        .options = Options{clahe_option ()} + gpu_options};
    if (to.range.black > 0 || to.range.white < values - 1)
      runner.launch_range (spec, task, {{group * n, 1}, {group, 1}}, {counts, ends, cl_int (first), cl_int (held)});
    spec.function = "equalize_table";
    runner.launch_range (spec, task, {{parts * group, size_t (n)}, {group, 1}},
        {counts, ends, to.total, to.limit, cl_int (first), cl_int (held), cl_int (values / parts), to.buffer});
  }

  /** Whether kernels/equalize/cells.cl does it. */
  bool maps_cells () const
  {
    return task.src.layout->samples_per_pixel == (of_rgb_intensity () ? 4 : 1) && runner.backend () == Backend::gpu
           && runner.format ().depth == 8 && !task.src.image && !task.dst.image;
  }

  /* Writes the rows from .. end - 1 of the region. */
  void map_rows (const HistogramTiles &tiles, const ::cl::Buffer &tables, int held, int from, int end) const
  {
    const Rect &r = task.region;
    const Rect rows{r.x, r.y + from, r.width, end - from};
    if (rows.empty ())
      return;
    const cl_int4 in_ring{{tiles.columns, tiles.rows, 0, held}};
    const cl_int4 size{{tiles.width, tiles.height, r.x * task.src.layout->samples_per_pixel, r.y}};
    if (!maps_cells ()) {
      runner.launch (map_spec (), task, Patch::of (task, rows), {weights (), tables, in_ring, size});
      return;
    }
    KernelSpec spec = map_spec ();
    spec.sources.back () = "equalize/cells.cl";
    spec.function = "equalize_cells";
    spec.options += {{"GROUP", clahe_group}};
    const int n_cells = (tiles.columns + 1) * (tiles.rows + 1);
    constexpr int per_unit_to_try[] = {2, 4, 8, 16};
    const int per_unit = runner.kernels.choose ("equalize/cells.cl groups a unit", 0, cell_groups_per_unit, per_unit_to_try);
    const int parts = (int (runner.cl ().device.compute_units) * per_unit + n_cells - 1) / n_cells;
    spec.jobs = size_t (n_cells) * parts;
    spec.job_items = clahe_group;
    runner.launch (spec, task, Patch::of (task, rows), {weights (), tables, in_ring, size, cl_int (parts)});
  }

  Runner &runner;
  const PlaneTask &task;
  const EqualizeSettings &settings;
  const BlackWhite range;
  const HistogramOf of;
  const int histograms, values;
  const ScratchName name;
};

enum : unsigned { METHOD, DOMAIN, STRENGTH, CLIP_LIMIT, TILES_X, TILES_Y, RANGE };

constexpr GEnumValue method_values[] = {
    {int (EqualizeMethod::global), "One table for the whole picture", "global"},
    {int (EqualizeMethod::clahe), "One table per tile, with limited contrast", "clahe"},
    {},
};

constexpr GEnumValue domain_values[] = {
    {int (EqualizeDomain::intensity), "The brightness; colours follow", "intensity"},
    {int (EqualizeDomain::per_component), "Every component by itself", "per-component"},
    {int (EqualizeDomain::luma), "Former name of intensity", "luma"},
    {},
};

const Property properties[] = {
    enum_property ("method", "One table for the whole picture, or one per tile",
        enum_type<"GstClEqualizeMethod", method_values>, int (EqualizeMethod::global)),
    enum_property ("domain", "Equalise the brightness, or each component by itself",
        enum_type<"GstClEqualizeDomain", domain_values>, int (EqualizeDomain::intensity)),
    real_property ("strength", "0 leaves the frame unchanged, 1 applies the full result", 0, 1, 1),
    real_property ("clip-limit", "For clahe: limit of each count, in multiples of the mean count; 0 = no limit", 0, 100, 2),
    integer_property ("tiles-x", "For clahe: number of tiles side by side", 1, 64, 8),
    integer_property ("tiles-y", "For clahe: number of tiles on top of each other", 1, 64, 8),
    range_property (),
};

class Equalize : public Operation {
public:
  void update (const Values &values) override
  {
    settings.method = EqualizeMethod (values.integer (METHOD));
    settings.domain = EqualizeDomain (values.integer (DOMAIN));
    settings.clip_limit = values.real (CLIP_LIMIT);
    settings.tiles_x = values.integer (TILES_X);
    settings.tiles_y = values.integer (TILES_Y);
    settings.range = Range (values.integer (RANGE));
    strength = values.real (STRENGTH);
  }

  void begin_frame (Runner &runner, const FrameInfo &info) override
  {
    range = black_and_white (info.video, runner.format (), settings.range);
  }

  void run (Runner &runner, const PlaneTask &task) override
  {
    if (!changes (runner.format (), task.plane)) {
      copy_samples (runner, task, task.region);
      return;
    }
    const Equalizer job (runner, task, settings, on_plane (range, runner.format (), task.plane));
    if (settings.method == EqualizeMethod::clahe)
      job.tiles ();
    else
      job.whole ();
    if (strength < 1)
      mix_samples (runner, task, strength);
  }

  /* mix reads what was written */
  bool takes_images () const override { return strength == 1; }

  bool takes_words (const Runner &runner) const override { return runner.backend () == Backend::gpu; }

  WordPart part_of (const Format &format, int plane) const override
  {
    return changes (format, plane) ? WordPart::filtered : WordPart::kept;
  }

  std::string algorithm () const override { return settings.method == EqualizeMethod::clahe ? "clahe" : "global"; }

private:
  bool changes (const Format &format, int plane) const
  {
    return settings.domain == EqualizeDomain::per_component || format.model != ColorModel::yuv || plane == 0;
  }

  EqualizeSettings settings;
  BlackWhite range{};
  double strength = 1;
};

const FilterDescription description{
    .long_name = "OpenCL histogram equalisation",
    .description = "Equalises the histogram of each frame, whole or by tiles (CLAHE)",
    .properties = properties,
    .create = [] () -> std::unique_ptr<Operation> { return std::make_unique<Equalize> (); },
    .neutral = [] (const Values &values) { return values.real (STRENGTH) == 0; },
};

}  // namespace

GST_CL_DEFINE_FILTER (GstClEqualize, gst_cl_equalize, clequalize, description)
