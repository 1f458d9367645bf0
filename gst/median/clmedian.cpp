/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian: replaces each sample by the median, or another percentile, of the window around it: removes specks (impulse
 * noise) and keeps edges. */
#include "core/arithmetic.hpp"
#include "core/vendors.hpp"
#include "filter/gstclfilter.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace gst::cl::clmedian {

struct MedianSettings {
  int radius = 1, radius_y = -1;
  double percentile = 0.5, threshold = 0;
};

constexpr Property properties[] = {
    window_size (property<&MedianSettings::radius> ("radius", "Samples to the left and right of the window's centre", 1, 127)),
    window_size (
        property<&MedianSettings::radius_y> ("radius-y", "Samples above and below the window's centre; -1 = radius", -1, 127)),
    property<&MedianSettings::percentile> (
        "percentile", "Position in the sorted window: 0 the smallest, 0.5 the median, 1 the greatest", 0, 1),
    property<&MedianSettings::threshold> (
        "threshold", "Replace a sample only if it differs by more than this fraction of full scale", 0, 1),
};

/* A window of (2 radius_x + 1) x (2 radius_y + 1) samples. */
struct MedianWindow {
  MedianWindow (const MedianSettings &settings, const Format &format)
      : radius_x (settings.radius), radius_y (settings.radius_y < 0 ? settings.radius : settings.radius_y),
        rank (int (std::floor (settings.percentile * (samples () - 1) + 0.5))),
        limit (int (settings.threshold * format.max_value ()))
  {
  }

  int radius_x, radius_y;
  /* The rank of the result among the samples, counted from 0. */
  int rank;
  /* A sample is replaced if it differs from the result by more than this. */
  int limit;

  int samples () const { return (2 * radius_x + 1) * (2 * radius_y + 1); }
  bool middle () const { return rank == samples () / 2; }
};

struct MedianTarget {
  bool gpu = false;
  /* Depth of a sample: 8, 10 or 16 bits. */
  int depth = 8;
  int samples_per_pixel = 1;
  /* The size of the result in pixels; by default one for which every network has tiles. */
  int width = 1024, height = 1024;
  int compute_units = 1;
  /* Local memory of a work-group, in bytes. */
  std::size_t local_bytes = 32768;
  /* The compiler accepts min.u16x2 and max.u16x2 in inline PTX: NVIDIA, compute capability 9.0 and later. */
  bool ptx_lanes = false;
  /* Planes share words. */
  bool in_words = false;
  /* To filter both planes in shared words together, if takes_words() holds: the chroma sample for BORDER_CONSTANT. -1
   *  for a single plane. */
  int beside_border = -1;
  /* gpu: the method to use, 0 for the default one. */
  int method = 0;

  static MedianTarget of (const Runner &runner, const PlaneLayout &layout, const Rect &region)
  {
    const Device &device = runner.cl ().device;
    return {.gpu = runner.backend () == Backend::gpu,
        .depth = runner.format ().depth,
        .samples_per_pixel = layout.samples_per_pixel,
        .width = region.width,
        .height = region.height,
        .compute_units = int (device.compute_units),
        .local_bytes = device.local_bytes,
        .ptx_lanes = vendors::has_paired_minima (device),
        .in_words = layout.part >= 0};
  }
  /* With a method for this window, which the tuner may choose. */
  static MedianTarget of (const Runner &runner, const PlaneTask &task, const MedianWindow &window);
  bool has_both_parts () const { return beside_border >= 0; }

  auto operator<=> (const MedianTarget &) const = default;
};

/* Methods of the gpu back end, with equal results. */
enum MedianMethod { median_by_network = 1, median_by_descent, median_by_march };

/* Outputs of one network, see NETWORKS in kernels/median/networks.py. */
struct Tile {
  int columns, rows;
};

/* Up to 19 x 19. On PoCL that network takes two seconds to compile, and runs in two thirds of the time of the histograms. */
constexpr Tile cpu_tiles[] = {{}, {1, 8}, {1, 4}, {1, 4}, {1, 8}, {1, 8}, {1, 8}, {1, 8}, {1, 8}, {1, 8}};
/* Larger networks do not fit a GPU's registers; 11 x 11 needs lanes in words. */
constexpr Tile gpu_tiles[] = {{}, {4, 4}, {4, 4}, {4, 2}, {4, 2}, {4, 2}};

/* Tuning for NVIDIA: how many of eight exchanges use floats, and the register limit for 8-bit pixels of four samples, 0 for the
 * compiler's choice. Measured on an H200. */
struct LanesTuning {
  int float_exchanges, registers;
};
constexpr LanesTuning lanes_tuning[] = {{}, {4, 80}, {2, 168}, {3, 168}, {3, 0}, {3, 0}};

int
sample_bytes (const MedianTarget &target)
{
  return target.depth > 8 || target.in_words ? 2 : 1;
}

std::optional<Tile>
network_tile (const MedianWindow &window, const MedianTarget &target)
{
  const int n_tiles = target.gpu ? std::size (gpu_tiles) - !target.ptx_lanes : std::size (cpu_tiles);
  if (window.radius_x != window.radius_y || window.radius_x >= n_tiles || !window.middle ())
    return {};
  if (target.gpu)
    return gpu_tiles[window.radius_x];
  const Tile tile = cpu_tiles[window.radius_x];
  const int row_bytes = target.width * target.samples_per_pixel * sample_bytes (target);
  if (row_bytes < cpu_vector_bytes || target.height < tile.rows)
    return {};
  return tile;
}

/* A way of one kernel. */
Algorithm
alone (const char *name, KernelSpec spec, Arguments arguments, const MedianWindow &window)
{
  return {name, {{std::move (spec), std::move (arguments), Window::centered (window.radius_x, window.radius_y)}}};
}

/* The arguments limit, rank and radius. */
Arguments
rank_arguments (const MedianWindow &window)
{
  return {window.limit, window.rank, cl_int2{{window.radius_x, window.radius_y}}};
}

/* A generated source. */
const char *
network_file (const MedianWindow &window, const Tile &tile)
{
  const std::string name =
      std::to_string (2 * window.radius_x + 1) + "_" + std::to_string (tile.columns) + "x" + std::to_string (tile.rows);
  return g_intern_string (("median/network_" + name + ".clh").c_str ());
}

/* Sets the work of a network's item: on the gpu back end it has two 16-bit lanes, with two samples of a pixel, or one sample
 * each of two pixels half an item apart. */
void
shape_network (KernelSpec &spec, const MedianWindow &window, const MedianTarget &target, const Tile &tile)
{
  spec.item_rows = tile.rows;
  spec.options = {{"RADIUS", window.radius_x}, {"PACKED", target.has_both_parts ()}};
  spec.tunable = {.local = true};
  if (!target.gpu) {
    spec.item_samples = cpu_vector_bytes / sample_bytes (target);
    return;
  }
  const int lanes = target.samples_per_pixel % 2 == 0 ? 1 : 2;
  spec.item_samples = lanes * tile.columns * target.samples_per_pixel;
  spec.options += {{"PTX_LANES", target.ptx_lanes}};
  if (!target.ptx_lanes)
    return;
  const LanesTuning &tuning = lanes_tuning[window.radius_x];
  spec.options += {{"FLOAT_EXCHANGES", tuning.float_exchanges}};
  if (tuning.registers && target.depth == 8 && (target.samples_per_pixel == 4 || target.has_both_parts ()))
    spec.options += {{"-cl-nv-maxrregcount", tuning.registers}};
}

/* A network for samples, or for both planes in shared words together. */
Algorithm
by_network (const MedianWindow &window, const MedianTarget &target, const Tile &tile)
{
  const char *const network = network_file (window, tile);
  KernelSpec spec = target.gpu
                        ? KernelSpec{.sources = {"shared/network.clh", "lib/places.clh", network, "median/tile.cl"},
                            .function = "median_network"}
                        : KernelSpec{.sources = {"shared/network.clh", network, "shared/network.cl"}, .function = "network"};
  spec.own_borders = !target.gpu || target.has_both_parts ();
  spec.any_pixel = spec.joins_chroma = true;
  shape_network (spec, window, target, tile);
  if (target.gpu)
    spec.options += {{"LIMITED", window.limit > 0}};
  return alone ("network", std::move (spec), {window.limit, target.beside_border}, window);
}

Algorithm
by_counting (const MedianWindow &window, const MedianTarget &target)
{
  KernelSpec spec{.sources = {"shared/network.clh", "median/count.cl"}, .function = "median_count"};
  spec.item_samples = target.gpu ? 1 : cpu_vector_bytes / sample_bytes (target);
  spec.tunable = {.local = true};
  return alone ("counting", std::move (spec), rank_arguments (window), window);
}

Algorithm
by_march (const MedianWindow &window, const MedianTarget &target)
{
  KernelSpec spec{.sources = {"shared/network.clh", "median/march.cl"}, .function = "median_march"};
  /* uses 32 KiB of local memory, which every device has */
  spec.local_x = target.depth > 10 ? 32 : 64;
  spec.local_y = 1;
  spec.options = {{"ITEMS", spec.local_x}, {"BINS", target.depth > 10 ? 512 : 256}};
  /* The march is as long as it can be with work for every compute unit, and not much shorter than the window's height, because
   * it begins with a whole window. Lengths are powers of two, to keep the number of programs small. */
  constexpr int items_per_unit = 384;
  const double items = double (target.compute_units) * items_per_unit;
  const double share = double (target.width) * target.samples_per_pixel * target.height / items;
  spec.item_rows = 32;
  while (spec.item_rows < 1024 && (spec.item_rows * 2 <= share || spec.item_rows <= window.radius_y))
    spec.item_rows *= 2;
  return alone ("marching histogram", std::move (spec), rank_arguments (window), window);
}

/* The tile of a work-group of kernels/median/descent.cl; see that file. */
struct DescentTile {
  int widest; /* greatest radius_x */
  int columns, threads, rows, step, runs;

  std::size_t local_bytes () const
  {
    const std::size_t counts = step * (columns + 1) * 16, results = rows * (columns + 4), found = rows / step * threads * 2;
    return counts + results + found + 64;
  }
};

/* Narrow tiles have results near each other; wide tiles have a smaller share of columns that only windows at their edges need.
 * Measured on an H200. */
constexpr DescentTile descent_tiles[] = {
    {12, 64, 64, 32, 16, 4},
    {20, 128, 128, 32, 16, 8},
    {64, 256, 128, 32, 8, 16},
};

const DescentTile *
descent_tile (const MedianWindow &window, const MedianTarget &target)
{
  if (!target.gpu || target.depth > 8 || target.in_words)
    return nullptr;
  const auto *tile = std::find_if (
      std::begin (descent_tiles), std::end (descent_tiles), [&] (const DescentTile &t) { return window.radius_x <= t.widest; });
  return tile != std::end (descent_tiles) && tile->local_bytes () <= target.local_bytes ? tile : nullptr;
}

/* The first kernel separates the components; the second filters them. */
Algorithm
by_descent (const MedianWindow &window, const MedianTarget &target, const DescentTile &tile)
{
  constexpr int prepare_items = 256, pitch_unit = 64;
  KernelSpec filter{.sources = {"shared/network.clh", "lib/places.clh", "median/descent.cl"}, .function = "median_descent"};
  int byte_columns = 8;
  while (byte_columns * (2 * window.radius_y + 1) > 255)
    byte_columns /= 2;
  filter.options = {{"COLUMNS", tile.columns}, {"THREADS", tile.threads}, {"TILE_ROWS", tile.rows}, {"STEP", tile.step},
      {"RUNS", tile.runs}, {"NARROW", window.samples () <= 255}, {"BYTE_COLUMNS", byte_columns},
      {"PTX_LANES", target.ptx_lanes}};

  const int wide = tile.columns - 2 * window.radius_x;
  const int across = divide_up (target.width, wide), down = divide_up (target.height, tile.rows);
  filter.jobs = std::size_t (across) * down * target.samples_per_pixel;
  filter.job_items = tile.threads;
  const int pitch = round_up (across * wide + 2 * window.radius_x, pitch_unit);
  const int plane_bytes = pitch * (down * tile.rows + 2 * window.radius_y);
  KernelSpec prepare = filter;
  prepare.function = "median_planes";
  prepare.jobs = divide_up (plane_bytes / 4, prepare_items);
  prepare.job_items = prepare_items;

  const Arguments arguments =
      rank_arguments (window)
      + Arguments{pitch, plane_bytes, ScratchArgument{"median", std::size_t (plane_bytes) * target.samples_per_pixel}};
  return {"bitwise descent", {{prepare, arguments}, {filter, arguments}}};
}

Algorithm
by_histogram (const MedianWindow &window, const MedianTarget &target)
{
  const bool classes = target.depth > 10;
  KernelSpec spec{.sources = {"shared/network.clh", "median/histogram.cl"}, .function = "median_histogram"};
  spec.sources.insert (spec.sources.begin (), classes, "median/classes.clh");
  /* A strip's columns should stay in a core's own cache, and be many compared to the window at the start of each row. */
  const int strip = std::min (target.width, classes || window.radius_x > 63 ? 256 : 192), wide = strip + 2 * window.radius_x;
  const int strips = divide_up (target.width, strip) * target.samples_per_pixel;
  /* few and high bands, since each begins with a window of rows; but at least one for every core */
  const int least = std::max (64, 2 * window.radius_y + 1);
  const int bands = std::clamp (divide_up (4 * target.compute_units, strips), 1, divide_up (target.height, least));
  const int band = classes ? std::min (target.height, 256) : divide_up (target.height, bands),
            high = band + 2 * window.radius_y;
  const std::size_t tasks = std::size_t (strips) * divide_up (target.height, band);
  spec.jobs = std::min<std::size_t> (tasks, 3 * target.compute_units);
  const int bins = target.depth == 8 ? 256 : 1024, columns = wide * (bins + 64);
  const int each = classes ? divide_up (columns + 6 * wide * high + 6 * 65536 + 8 * bins + 256, 64) * 64 : columns;
  const Arguments own{strip, band, ScratchArgument{"median", spec.jobs * each}, each};
  return alone (classes ? "histogram of classes" : "histogram", std::move (spec), rank_arguments (window) + own, window);
}

/* The largest window, in samples, for which counting is faster than the methods for larger windows; measured on PoCL. */
int
most_to_count (const MedianTarget &target)
{
  if (target.gpu)
    return 48;
  return target.depth == 8 ? 169 : target.depth <= 10 ? 121 : 400;
}

/* The default method; 0 if there is no choice: on the cpu back end, and for windows of few samples. */
int
median_method (const MedianWindow &window, const MedianTarget &target)
{
  if (!target.gpu)
    return 0;
  if (network_tile (window, target))
    return median_by_network;
  if (window.samples () <= most_to_count (target))
    return 0;
  return descent_tile (window, target) ? median_by_descent : median_by_march;
}

/* Whether a network filters planes in shared words; both together if limit is 0. */
bool
takes_words (const MedianWindow &window, const MedianTarget &target)
{
  return network_tile (window, target) && (target.gpu || window.limit == 0);
}

MedianTarget
MedianTarget::of (const Runner &runner, const PlaneTask &task, const MedianWindow &window)
{
  constexpr int methods[] = {median_by_network, median_by_descent, median_by_march}, key_of_radius = 1000;
  MedianTarget target = of (runner, *task.src.layout, task.region);
  if (task.beside == WordPart::filtered)
    target.beside_border = task.beside_border_sample;
  else if (const int usual = median_method (window, target))
    target.method = runner.kernels.choose ("median method", key_of_radius * window.radius_x + window.radius_y, usual, methods);
  return target;
}

/* The last algorithm takes the radius as an argument; programs for one radius are faster. */
Plan
plan_median (const MedianWindow &window, const MedianTarget &target)
{
  if (target.has_both_parts ())
    return {by_network (window, target, *network_tile (window, target))};
  const auto may_be = [&] (MedianMethod method) { return target.method == 0 || target.method == method; };
  const bool few = window.samples () <= most_to_count (target);
  Plan plan;
  if (const std::optional<Tile> tile = may_be (median_by_network) ? network_tile (window, target) : std::nullopt)
    plan.push_back (by_network (window, target, *tile));
  else if (const DescentTile *tile =
               may_be (median_by_descent) && (target.method || !few) ? descent_tile (window, target) : nullptr)
    plan.push_back (by_descent (window, target, *tile));
  else if (target.method == median_by_march)
    plan.push_back (by_march (window, target));
  if (few)
    plan.push_back (by_counting (window, target));
  else
    plan.push_back (target.gpu ? by_march (window, target) : by_histogram (window, target));
  return plan;
}

class Median : public With<MedianSettings> {
public:
  void changed () override { plans.clear (); }

  void begin_frame (Runner &, const FrameInfo &info) override
  {
    least = {0, 0, info.width, GST_VIDEO_INFO_IS_INTERLACED (&info.video) ? info.height / 2 : info.height};
  }

  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    const MedianWindow window (settings, runner.format ());
    const MedianTarget target = MedianTarget::of (runner, task, window);
    return plans.get (target, [&] { return plan_median (window, target); });
  }

  Abilities abilities (const Runner &runner) const override
  {
    const MedianWindow window (settings, runner.format ());
    return {.words = takes_words (window, {.gpu = runner.backend () == Backend::gpu}),
        .whole_words = !window.limit && takes_words (window, MedianTarget::of (runner, runner.format ().planes[0], least))};
  }

private:
  /** A whole frame, or a field of it. */
  Rect least{0, 0, 1, 1};
  PlanCache<MedianTarget> plans;
};

const FilterDescription description{
    .long_name = "OpenCL median filter",
    .description = "Replaces each sample by the median, or another percentile, of its window",
    .properties = properties,
    .windowed = true,
    .operation = operation_type<Median> (),
    /* no sample can differ from another by more than full scale */
    .neutral = of_settings<[] (const MedianSettings &settings) { return settings.threshold >= 1; }>,
};

GST_CL_DEFINE_FILTER (GstClMedian, gst_cl_median, clmedian, description)

}  // namespace gst::cl::clmedian
