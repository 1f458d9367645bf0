/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cldeblock: smooths the steps between the blocks of compressed video (JPEG, MPEG-2, H.264 and so on) and leaves real edges
 * alone. */
#include "core/vendors.hpp"
#include "filter/gstclfilter.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl::cldeblock {

constexpr GEnumValue block_size_values[] = {
    {4, "4x4 (H.264)", "4"},
    {8, "8x8 (JPEG, MPEG-1, MPEG-2, MPEG-4, HEVC)", "8"},
    {16, "16x16", "16"},
    {32, "32x32", "32"},
};

struct DeblockSettings {
  int block_size = 8;
  double strength = 0.5;
  int offset_x = 0, offset_y = 0;
};

constexpr Property properties[] = {
    property<&DeblockSettings::block_size> (
        "block-size", "Width and height of a block, in luma samples", enum_type<"GstClDeblockBlockSize", block_size_values>),
    property<&DeblockSettings::strength> (
        "strength", "Smooths steps smaller than half of this fraction of full scale; 0 = none", 0, 1),
    property<&DeblockSettings::offset_x> ("offset-x", "Column of the first block boundary, in luma samples", 0, 31),
    property<&DeblockSettings::offset_y> ("offset-y", "Row of the first block boundary, in luma samples", 0, 31),
};

/** The block grid of a plane, as kernels/deblock/deblock.cl has it. */
struct Grid {
  cl_int4 grid, taps_x, taps_y;
};

class Deblock : public With<DeblockSettings> {
public:
  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    const cl_int limit = cl_int (std::nearbyint (settings.strength * runner.format ().max_value ()));
    const Grid grid = grid_of (*task.src.layout);
    return {"adaptive", runner.backend () == Backend::cpu ? Launches{by_tiles (runner, task, limit, grid)}
                                                          : by_passes (runner, task, limit, grid)};
  }

private:
  /** deblock/deblock.cl's REACH and LOOK. */
  static constexpr int reach = 3, look = 4;
  /** How far from a sample other samples are read, across boundaries of one direction. */
  static constexpr int window = reach - 1 + look;
  /** Up to this depth, all of the formula fits into shorts. */
  static constexpr int short_depth = 11;
  static inline const std::vector<const char *> sources{"lib/point.clh", "lib/numbers.clh", "deblock/deblock.cl"};

  static cl_int4 taps_for (int block)
  {
    if (block >= 8)
      return {{7, 4, 1, -1}};
    return block == 4 ? cl_int4{{6, 2, 0, -1}} : cl_int4{{4, 0, 0, 0}};
  }

  Grid grid_of (const PlaneLayout &layout) const
  {
    const auto &[block, strength, offset_x, offset_y] = settings;
    constexpr int least = 2; /* a block of one sample would consist of boundaries only */
    const int width = std::max (block >> layout.subsample_x, least), height = std::max (block >> layout.subsample_y, least);
    return {{{width, height, (offset_x >> layout.subsample_x) % width, (offset_y >> layout.subsample_y) % height}},
        taps_for (width), taps_for (height)};
  }

  /* A tile always has the same number of rows, so that one program serves frames of any height. */
  static Launch by_tiles (Runner &runner, const PlaneTask &task, cl_int limit, const Grid &grid)
  {
    constexpr int tile_samples = 256, rows_to_try[] = {16, 32, 64};
    const int samples = task.src.layout->samples_per_pixel;
    const int tile_rows = runner.kernels.choose ("deblock/deblock.cl tile rows", samples, 32, rows_to_try);
    return {{.sources = sources,
                .function = "deblock",
                .options = {{"SHORT_DEPTH", short_depth}, {"TILE_SAMPLES", tile_samples}, {"TILE_ROWS", tile_rows}},
                .strip_samples = tile_samples,
                .strip_rows = tile_rows,
                .any_pixel = true},
        {limit, grid.grid, grid.taps_x, grid.taps_y, lines_of (runner, task, grid)}, Window::centered (window, window)};
  }

  /* Filters one direction after the other, through an intermediate plane. An item covers eight or sixteen pixels of a row (of two
   * rows, if samples are bytes), or eight rows around a line. */
  Launches by_passes (Runner &runner, const PlaneTask &task, cl_int limit, const Grid &grid) const
  {
    static constexpr int unit = 8, rows_to_try[] = {unit, 2 * unit};
    const bool has_halves = vendors::has_half_minima (runner.cl ().device);
    const auto [width, height, left, top] = grid.grid.s;
    const int samples = task.src.layout->samples_per_pixel;
    const bool bytes = runner.format ().sample_size () == 1;
    int block_width = std::min (unit, int (width)); /* the least of all planes, so that they share a program */
    for (const PlaneView &plane : task.frame)
      block_width = std::min (block_width, int (grid_of (*plane.layout).grid.s[0]));
    const KernelSpec columns_spec{.sources = sources,
        .function = "deblock_columns",
        .options = {{"COLUMNS", 1}, {"UNIT", block_width}, {"FIRST", left % unit}, {"PTX_HALVES", has_halves}},
        .item_samples = unit * (bytes && runner.kernels.interleaved_chroma ? 2 : samples),
        .item_rows = bytes ? 2 : 1,
        .joins_chroma = bytes,
        .tunable = {.local = true}};
    const KernelSpec rows_spec{.sources = sources,
        .function = "deblock_rows",
        .options = {{"PTX_HALVES", has_halves}},
        .item_samples = samples == 3 ? 12 : 8,
        .item_rows = unit,
        .joins_chroma = true,
        .tunable = {.local = true, .rows = rows_to_try}};
    PlaneTask columns = task, rows = task;
    columns.dst = rows.src = runner.scratch_plane ("middle", task.src);
    int first = task.region.y - window, end = task.region.y + task.region.height + window;
    /* with wrap, rows beyond one end of the plane are rows of the other end */
    if (task.border == Border::wrap && (first < 0 || end > task.src.height))
      first = 0, end = task.src.height;
    columns.region.y = std::max (first, 0);
    columns.region.height = std::min (end, task.src.height) - columns.region.y;
    const int above = (rows.region.y + std::min (int (height), unit) / 2 + 4 * unit - top) % unit;
    rows.region.y -= above;
    rows.region.height += above;
    return {Launch (columns_spec, {limit, grid.grid, grid.taps_x}).on (columns),
        Launch (rows_spec, {limit, grid.grid, grid.taps_y, task.region.y}).on (rows)};
  }

  /* A mask for every sample of a row, and for the samples around it that a tile reads: all ones after a boundary. */
  static const ::cl::Buffer &lines_of (Runner &runner, const PlaneTask &task, const Grid &grid)
  {
    const int samples = task.src.layout->samples_per_pixel;
    std::vector<cl_short> lines (size_t (task.src.width + window) * samples);
    for (int x = 1; x < task.src.width; x++)
      if ((x - grid.grid.s[2]) % grid.grid.s[0] == 0)
        std::fill_n (lines.begin () + (x + reach - 1) * samples, samples, cl_short (-1));
    return runner.memory.table ({"lines", task.plane}, lines);
  }
};

const FilterDescription description{
    .long_name = "OpenCL deblocking filter",
    .description = "Smooths the block edges of compressed video and leaves real edges alone",
    .properties = properties,
    .windowed = true,
    .operation = operation_type<Deblock> (),
    .neutral = of_settings<[] (const DeblockSettings &settings) { return settings.strength <= 0; }>,
};

GST_CL_DEFINE_FILTER (GstClDeblock, gst_cl_deblock, cldeblock, description)

}  // namespace gst::cl::cldeblock
