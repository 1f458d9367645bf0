/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "median/plan.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

namespace gst::cl {

namespace {

/* Outputs of one network, see NETWORKS in kernels/median/networks.py. */
struct Tile {
  int columns, rows;
};

/* Up to 19 x 19, whose network takes two seconds to compile on PoCL and two thirds of the histograms' time there. */
constexpr Tile cpu_tiles[] = {{}, {1, 8}, {1, 4}, {1, 4}, {1, 8}, {1, 8}, {1, 8}, {1, 8}, {1, 8}, {1, 8}};
/* Larger ones do not fit a GPU's registers; 11 x 11 needs lanes in words. */
constexpr Tile gpu_tiles[] = {{}, {4, 4}, {4, 4}, {4, 2}, {4, 2}, {4, 2}};

/* How NVIDIA devices run them: how many of eight exchanges as floats; and registers for 8-bit pixels of four samples, 0
 * for the compiler's choice. Measured on an H200. */
struct LanesTuning {
  int float_exchanges, registers;
};
constexpr LanesTuning lanes_tuning[] = {{}, {4, 80}, {2, 168}, {3, 168}, {3, 0}, {3, 0}};

/* Bytes of a vector of the cpu back end. */
constexpr int vector_bytes = 64;

int
divide_up (int n, int unit)
{
  return (n + unit - 1) / unit;
}

int
sample_bytes (const MedianTarget &target)
{
  return target.depth > 8 ? 2 : 1;
}

std::string
define (const char *name, int value)
{
  return std::string (" -D") + name + "=" + std::to_string (value);
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
  if (row_bytes < vector_bytes || target.height < tile.rows)
    return {};
  return tile;
}

void
plan_network (MedianPlan &plan, const MedianWindow &window, const MedianTarget &target, const Tile &tile)
{
  plan.algorithm = "network";
  plan.method = target.gpu ? median_by_network : 0;
  plan.function = "median_network";
  if (target.gpu)
    plan.sources.push_back ("median/tile.clh");
  else
    plan.sources.insert (plan.sources.end (), {"median/padded_tile.clh", "median/count.clh"});
  plan.own_borders = !target.gpu;
  plan.sources.push_back ("median/network_" + std::to_string (2 * window.radius_x + 1) + "_" + std::to_string (tile.columns)
                          + "x" + std::to_string (tile.rows) + ".clh");
  plan.sources.push_back ("median/median.cl");
  plan.item_rows = tile.rows;
  plan.options = define ("RADIUS_X", window.radius_x) + define ("RADIUS_Y", window.radius_y);
  if (!target.gpu) {
    plan.item_samples = vector_bytes / sample_bytes (target);
    return;
  }
  /* two 16-bit lanes: samples of one pixel, or of two pixels that stand half an item apart */
  const int lanes = target.samples_per_pixel == 4 ? 1 : 2;
  plan.item_samples = lanes * tile.columns * target.samples_per_pixel;
  plan.options += define ("PTX_LANES", target.ptx_lanes);
  if (!target.ptx_lanes)
    return;
  const LanesTuning &tuning = lanes_tuning[window.radius_x];
  plan.options += define ("FLOAT_EXCHANGES", tuning.float_exchanges);
  if (tuning.registers && target.depth == 8 && lanes == 1)
    plan.options += " -cl-nv-maxrregcount=" + std::to_string (tuning.registers);
}

void
plan_count (MedianPlan &plan, const MedianTarget &target)
{
  plan.algorithm = "counting";
  plan.function = "median_count";
  plan.sources.insert (plan.sources.end (), {"median/count.clh", "median/count.cl"});
  plan.arguments = MedianPlan::Arguments::limit_rank;
  plan.item_samples = target.gpu ? 1 : vector_bytes / sample_bytes (target);
}

void
plan_march (MedianPlan &plan, const MedianWindow &window, const MedianTarget &target)
{
  plan.algorithm = "marching histogram";
  plan.method = median_by_march;
  plan.function = "median_march";
  plan.sources.push_back ("median/march.cl");
  plan.arguments = MedianPlan::Arguments::limit_rank;
  /* 32 KiB of local memory, which every device has */
  plan.local_x = target.depth > 10 ? 32 : 64;
  plan.local_y = 1;
  plan.options += define ("ITEMS", plan.local_x) + define ("BINS", target.depth > 10 ? 512 : 256);
  /* As long a march as leaves work for every compute unit, and not much shorter than the window is high: the march
   * begins with a whole window. Powers of two keep the number of programs small. */
  constexpr int items_per_unit = 384;
  const double items = double (target.compute_units) * items_per_unit;
  const double share = double (target.width) * target.samples_per_pixel * target.height / items;
  plan.item_rows = 32;
  while (plan.item_rows < 1024 && (plan.item_rows * 2 <= share || plan.item_rows <= window.radius_y))
    plan.item_rows *= 2;
}

/* What a work-group of kernels/median/descent.cl filters, see there. */
struct DescentTile {
  int widest; /* greatest radius_x */
  int columns, threads, rows, step, runs;
  bool blocks, far_results;

  std::size_t local_bytes () const
  {
    const std::size_t counts = step * (columns + 1) * 16, sums = blocks ? step * (columns / 16 + 1) * 32 : 0;
    const std::size_t results = far_results ? 0 : rows * (columns + 4), found = rows / step * threads * 2;
    return counts + sums + results + found + 64;
  }
};

/* Narrow tiles have results near each other, wide ones fewer columns that only windows at their edges need; measured on
 * an H200. */
constexpr DescentTile descent_tiles[] = {
    {12, 64, 64, 32, 16, 4, false, false},
    {20, 128, 128, 32, 16, 8, false, false},
    {40, 256, 128, 32, 8, 16, false, false},
    {80, 512, 128, 64, 4, 32, true, true},
    {127, 512, 128, 64, 4, 16, true, true},
};

const DescentTile *
descent_tile (const MedianWindow &window, const MedianTarget &target)
{
  if (!target.gpu || target.depth > 8)
    return nullptr;
  const auto *tile = std::find_if (
      std::begin (descent_tiles), std::end (descent_tiles), [&] (const DescentTile &t) { return window.radius_x <= t.widest; });
  return tile != std::end (descent_tiles) && tile->local_bytes () <= target.local_bytes ? tile : nullptr;
}

void
plan_descent (MedianPlan &plan, const MedianWindow &window, const MedianTarget &target, const DescentTile &tile)
{
  plan.algorithm = "bitwise descent";
  plan.method = median_by_descent;
  plan.function = "median_descent";
  plan.prepare = "median_planes";
  plan.sources.push_back ("median/descent.cl");
  plan.arguments = MedianPlan::Arguments::limit_rank_planes;
  int byte_columns = 8;
  while (byte_columns * (2 * window.radius_y + 1) > 255)
    byte_columns /= 2;
  plan.options += define ("COLUMNS", tile.columns) + define ("THREADS", tile.threads) + define ("TILE_ROWS", tile.rows)
                  + define ("STEP", tile.step) + define ("RUNS", tile.runs) + define ("NARROW", window.samples () <= 255)
                  + define ("BYTE_COLUMNS", byte_columns) + define ("BLOCKS", tile.blocks)
                  + define ("FAR_RESULTS", tile.far_results) + define ("PTX_LANES", target.ptx_lanes);

  const int wide = tile.columns - 2 * window.radius_x;
  const int across = divide_up (target.width, wide), down = divide_up (target.height, tile.rows);
  plan.jobs = std::size_t (across) * down * target.samples_per_pixel;
  plan.job_items = tile.threads;
  plan.pitch = divide_up (across * wide + 2 * window.radius_x, 64) * 64;
  plan.plane_bytes = plan.pitch * (down * tile.rows + 2 * window.radius_y);
  plan.prepare_jobs = divide_up (plan.plane_bytes / 4, plan.prepare_items);
  plan.far_bytes = tile.far_results ? plan.jobs * wide * tile.rows : 0;
}

/* Bytes of a job of kernels/median/histogram.cl or kernels/median/classes.cl. */
int
job_bytes (const MedianPlan &plan, const MedianWindow &window, int depth)
{
  const int wide = plan.strip + 2 * window.radius_x, high = plan.band + 2 * window.radius_y;
  const int bins = depth == 8 ? 256 : 1024;
  const int column = bins + 64;
  if (depth <= 10)
    return wide * column;
  const int bytes = wide * (column + 6 * high) + 6 * 65536 + 8 * bins + 256;
  return divide_up (bytes, 64) * 64;
}

void
plan_histogram (MedianPlan &plan, const MedianWindow &window, const MedianTarget &target)
{
  const bool classes = target.depth > 10;
  plan.algorithm = classes ? "histogram of classes" : "histogram";
  plan.function = classes ? "median_classes" : "median_histogram";
  plan.sources.insert (plan.sources.end (), {"median/columns.clh", classes ? "median/classes.cl" : "median/histogram.cl"});
  plan.arguments = MedianPlan::Arguments::limit_rank_jobs;

  /* A strip's columns should stay in a core's own cache, and be many beside the window that a row begins with. */
  plan.strip = std::min (target.width, classes || window.radius_x > 63 ? 256 : 192);
  const int strips = divide_up (target.width, plan.strip) * target.samples_per_pixel;
  /* few and high bands, since each begins with a window of rows; but work for every core */
  const int least = std::max (64, 2 * window.radius_y + 1);
  const int bands = std::clamp (divide_up (4 * target.compute_units, strips), 1, divide_up (target.height, least));
  plan.band = classes ? std::min (target.height, 256) : divide_up (target.height, bands);
  const std::size_t tasks = std::size_t (strips) * divide_up (target.height, plan.band);
  plan.jobs = std::min<std::size_t> (tasks, 3 * target.compute_units);
  plan.scratch_each = job_bytes (plan, window, target.depth);
}

/* Samples in a window up to which counting is faster than what is there for larger ones; measured on PoCL. */
int
most_to_count (const MedianTarget &target)
{
  if (target.gpu)
    return 48;
  return target.depth == 8 ? 169 : target.depth <= 10 ? 121 : 400;
}

}  // namespace

int
median_rank (double percentile, int samples)
{
  return int (std::floor (percentile * (samples - 1) + 0.5));
}

MedianPlan
plan_median (const MedianWindow &window, const MedianTarget &target, bool any_radius)
{
  MedianPlan plan;
  plan.sources = {"median/median.clh"};
  const auto may_be = [&] (MedianMethod method) { return target.method == 0 || target.method == method; };
  const std::optional<Tile> tile = any_radius || !may_be (median_by_network) ? std::nullopt : network_tile (window, target);
  if (tile)
    plan_network (plan, window, target, *tile);
  else if (target.method == 0 && window.samples () <= most_to_count (target))
    plan_count (plan, target);
  else if (const DescentTile *descent = any_radius || !may_be (median_by_descent) ? nullptr : descent_tile (window, target))
    plan_descent (plan, window, target, *descent);
  else if (target.gpu)
    plan_march (plan, window, target);
  else
    plan_histogram (plan, window, target);
  return plan;
}

}  // namespace gst::cl
