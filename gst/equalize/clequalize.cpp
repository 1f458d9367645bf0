/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clequalize: equalises the histogram of each frame, either for the whole picture or by tiles with limited contrast (CLAHE).
 * */
#include "core/arithmetic.hpp"
#include "filter/gstclfilter.hpp"
#include "filter/runner.hpp"
#include "shared/histogram_plan.hpp"
#include "shared/launches.hpp"

#include <algorithm>

namespace gst::cl::clequalize {

enum class EqualizeMethod { global, clahe };

/* luma is the old name of intensity. */
enum class EqualizeDomain { intensity, per_component, luma };

struct EqualizeSettings {
  EqualizeMethod method = EqualizeMethod::global;
  EqualizeDomain domain = EqualizeDomain::intensity;
  double strength = 1;
  /* In multiples of the mean bin; 0 does not clip. */
  double clip_limit = 2;
  int tiles_x = 8, tiles_y = 8;
  Range range = Range::automatic;
};

/* Work items of a group on the gpu back end. */
constexpr int group = 256;
/* Measured on an H200. */
constexpr int groups_per_unit = 8;
/* Histograms and tables of many tiles at 16 bits would take gigabytes. Therefore only as many rows of tiles are processed at a
 * time as fit into this many bytes. */
constexpr size_t most_table_bytes = size_t (64) << 20;

/* The tiles of a rectangle. If the tiles do not divide one of its sides evenly, both sides are extended until they do. */
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

/* Plans to equalise a plane on the device: histograms, tables made from them, and the mapping of samples. */
class Equalizer {
public:
  /* range: the range of the results */
  Equalizer (Runner &runner_, const PlaneTask &task_, const EqualizeSettings &settings_, const BlackWhite &range_)
      : runner (runner_), task (task_), clip_limit (settings_.clip_limit), clahe (settings_.method == EqualizeMethod::clahe),
        range (range_),
        of (settings_.domain != EqualizeDomain::per_component ? HistogramOf::intensity : HistogramOf::components),
        tiles (clahe ? clahe_tiles (task.region, settings_.tiles_x, settings_.tiles_y)
                     : HistogramTiles{.width = task.region.width, .height = task.region.height}),
        histograms (histograms_per_tile (task, of))
  {
  }

  Launches launches () const
  {
    Launches all;
    const ScratchName name ("equalize", task.plane);
    const int values = runner.format ().max_value () + 1, sample_size = runner.format ().sample_size ();
    const double area = double (tiles.width) * tiles.height;
    const double wanted_limit = clip_limit * area / (range.white - range.black + 1);
    const bool clips = clahe && clip_limit > 0;
    const cl_uint limit = clips ? cl_uint (std::clamp (wanted_limit, 1., double (CL_UINT_MAX))) : CL_UINT_MAX;

    const size_t row_tables = size_t (tiles.columns) * histograms * values;
    const size_t row_bytes = row_tables * (sizeof (cl_uint) + sample_size);
    const int held = int (std::clamp<size_t> (most_table_bytes / row_bytes, std::min (2, tiles.rows), tiles.rows));
    const ::cl::Buffer &tables = runner.memory.buffer (name.with ("tables"), held * row_tables * sample_size);
    /* rows between the centres of two rows of tiles need the tables of both */
    for (int done = 0, written = 0; done < tiles.rows;) {
      const int n = std::min (done > 0 ? held - 1 : held, tiles.rows - done);
      all += make_tables (
          runner, task, of, tiles, done, n, {clahe, range, cl_uint (area), limit, held, tables}, name.with ("counts"));
      done += n;
      const int last_center = ((2 * done - 1) * tiles.height + 1) / 2;
      const int end = done == tiles.rows ? task.region.height : std::min (last_center, task.region.height);
      if (end > written)
        all.push_back (map_rows (tables, held, written, end));
      written = std::max (written, end);
    }
    return all;
  }

private:
  bool of_rgb_intensity () const { return of == HistogramOf::intensity && runner.format ().model == ColorModel::rgb; }

  /* Whether one table maps every sample. */
  bool is_plain_table () const { return !clahe && !of_rgb_intensity (); }

  KernelSpec map_spec () const
  {
    const bool gpu = runner.backend () == Backend::gpu;
    KernelSpec spec{
        .sources = {"lib/point.clh", "lib/pixel.clh", "shared/intensity.clh", "shared/lookup.clh", "equalize/equalize.cl"},
        .function = "equalize",
        .options =
            Options{{"CLAHE", clahe}, {"TABLES", histograms}, {"INTENSITY", of_rgb_intensity ()}, {"GROUP", gpu ? group : 1}}
            + byte_options (runner)};
    if (!gpu)
      return spec;
    const int samples = task.src.layout->samples_per_pixel;
    const int bytes = task.src.image || task.dst.image ? (samples == 4 ? 8 : 4) : samples == 3 ? 24 : 16;
    spec.item_samples = bytes / runner.format ().sample_size ();
    spec.jobs = size_t (n_cells ()) * parts ();
    spec.job_items = group;
    return spec;
  }

  int n_cells () const { return (tiles.columns + 1) * (tiles.rows + 1); }

  /* Groups on the gpu back end for each cell. */
  int parts () const
  {
    constexpr int per_unit_to_try[] = {2, 4, 8, 16};
    const int per_unit = runner.kernels.choose ("equalize/equalize.cl groups a unit", 0, groups_per_unit, per_unit_to_try);
    return divide_up (int (runner.cl ().device.compute_units) * per_unit, n_cells ());
  }

  /* Writes the rows from `from` to end - 1 of the region. */
  Launch map_rows (const ::cl::Buffer &tables, int held, int from, int end) const
  {
    const Rect &r = task.region;
    if (is_plain_table ())
      return map_launch (runner, task, tables, histograms);
    Arguments arguments{of_rgb_intensity () ? intensity_weights (*task.src.layout) : 0, tables,
        cl_int4{{tiles.columns, tiles.rows, 0, held}},
        cl_int4{{tiles.width, tiles.height, r.x * task.src.layout->samples_per_pixel, r.y}}};
    if (runner.backend () == Backend::gpu)
      arguments.push_back (cl_int (parts ()));
    Launch map (map_spec (), std::move (arguments));
    map.patch = Patch::of (task, {r.x, r.y + from, r.width, end - from});
    return map;
  }

  Runner &runner;
  const PlaneTask &task;
  const double clip_limit;
  const bool clahe;
  const BlackWhite range;
  const HistogramOf of;
  const HistogramTiles tiles;
  const int histograms;
};

constexpr GEnumValue method_values[] = {
    {int (EqualizeMethod::global), "One table for the whole picture", "global"},
    {int (EqualizeMethod::clahe), "One table per tile, with limited contrast", "clahe"},
};

constexpr GEnumValue domain_values[] = {
    {int (EqualizeDomain::intensity), "The brightness; colours follow", "intensity"},
    {int (EqualizeDomain::per_component), "Every component by itself", "per-component"},
    {int (EqualizeDomain::luma), "Former name of intensity", "luma"},
};

constexpr Property properties[] = {
    property<&EqualizeSettings::method> (
        "method", "One table for the whole picture, or one per tile", enum_type<"GstClEqualizeMethod", method_values>),
    property<&EqualizeSettings::domain> (
        "domain", "Equalise the brightness, or each component by itself", enum_type<"GstClEqualizeDomain", domain_values>),
    property<&EqualizeSettings::strength> ("strength", "0 leaves the frame unchanged, 1 applies the full result", 0, 1),
    property<&EqualizeSettings::clip_limit> (
        "clip-limit", "For clahe: limit of each count, in multiples of the mean count; 0 = no limit", 0, 100),
    property<&EqualizeSettings::tiles_x> ("tiles-x", "For clahe: number of tiles side by side", 1, 64),
    property<&EqualizeSettings::tiles_y> ("tiles-y", "For clahe: number of tiles on top of each other", 1, 64),
    range_property<&EqualizeSettings::range> (),
};

class Equalize : public With<EqualizeSettings> {
public:
  void changed () override { algorithm = settings.method == EqualizeMethod::clahe ? "clahe" : "global"; }

  /* mixing reads the result */
  Abilities abilities (const Runner &runner) const override
  {
    return {.images = settings.strength == 1,
        .sees_regions = true,
        .words = runner.backend () == Backend::gpu,
        .second_plane = changes (runner.format (), 1) ? WordPart::filtered : WordPart::kept};
  }

  void begin_frame (Runner &runner, const FrameInfo &info) override
  {
    range = black_and_white (info.video, runner.format (), settings.range);
  }

  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    if (!changes (runner.format (), task.plane))
      return {};
    Launches launches = Equalizer (runner, task, settings, on_plane (range, runner.format (), task.plane)).launches ();
    if (settings.strength < 1)
      launches.push_back (mix_launch (runner, settings.strength));
    return {"", std::move (launches)};
  }

private:
  bool changes (const Format &format, int plane) const
  {
    return settings.domain == EqualizeDomain::per_component || format.model != ColorModel::yuv || plane == 0;
  }

  BlackWhite range{};
};

const FilterDescription description{
    .long_name = "OpenCL histogram equalisation",
    .description = "Equalises the histogram of each frame, whole or by tiles (CLAHE)",
    .properties = properties,
    .operation = operation_type<Equalize> (),
    .neutral = of_settings<[] (const EqualizeSettings &settings) { return settings.strength == 0; }>,
};

GST_CL_DEFINE_FILTER (GstClEqualize, gst_cl_equalize, clequalize, description)

}  // namespace gst::cl::clequalize
