/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FrameConverter: tables and options for the kernels of the gpu back end. */
#include "core/arithmetic.hpp"
#include "shared/converter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <ranges>

namespace gst::cl {

namespace {

/* For BYTE_COLUMNS in shared/convert_gpu.cl: the sum of a column's weights, and the most weights for which this sum is exact
 * enough. */
constexpr int byte_weight = 8192, most_byte_rows = 24;

bool
is_bytes (const Format &format)
{
  return format.sample_bits == 8 && format.depth == 8;
}

}  // namespace

int
FrameConverter::tile_samples (const Part &part, const ConvertTask &task, size_t i)
{
  constexpr int quad = 4;
  const Part::Window &window = part.numbers.in[i];
  const int step = task.src[part.sources[i]].layout->samples_per_pixel;
  const auto first = [&] (int x) { return part.starts[size_t (window.column_starts + x)] * step; };
  int samples = 0;
  for (int left = 0; left < part.rect.width; left += int (convert_group[0])) {
    const int last = std::min (left + int (convert_group[0]), part.rect.width) - 1;
    samples = std::max (samples, first (last) + window.columns * step - (first (left) & -quad));
  }
  return samples;
}

/* Rearranges weights: for each row of the source, the weights of all lines of an item. `bytes` puts two rows into a word. */
void
FrameConverter::turn_weights (Part &part, size_t i, bool bytes)
{
  const Part::Window &window = part.numbers.in[i];
  const int width = part.rect.width, height = part.rect.height, lines = part.item_lines, unit = bytes ? 2 : 1;
  const auto first = [&] (int y) { return part.starts[size_t (window.row_starts + std::min (y, height - 1))]; };
  const auto weight = [&] (int row, int line) -> cl_float {
    const int tap = row - first (line);
    const bool counts = line < height && tap >= 0 && tap < window.rows;
    return counts ? part.weights[size_t (window.row_weights + line * window.rows + tap)] : 0;
  };
  /* rounds sums and not weights, so that the total stays exact */
  const auto steps = [&] (int row, int line) {
    double before = 0;
    for (int r = first (line); r < row; r++)
      before += weight (r, line);
    return std::lrint ((before + weight (row, line)) * byte_weight) - std::lrint (before * byte_weight);
  };
  Part::Window &turned = part.windows[i];
  for (int y = 0; y < height; y += lines)
    turned.rows = std::max (turned.rows, first (y + lines - 1) + window.rows - first (y));
  turned.rows = int (round_up (turned.rows, unit));
  part.weights.resize (round_up (part.weights.size (), lines));
  turned.row_weights = cl_int (part.weights.size ());
  for (int y = 0; y < height; y += lines)
    for (int row = first (y); row < first (y) + turned.rows; row += unit)
      for (int line = y; line < y + lines; line++)
        part.weights.push_back (
            bytes ? std::bit_cast<cl_float> (cl_uint (steps (row, line) & 0xffff) | cl_uint (steps (row + 1, line)) << 16)
                  : weight (row, line));
  turned.column_weights = cl_int (part.weights.size ());
  for (int tap = 0; tap < window.columns; tap++)
    for (int x = 0; x < width; x++)
      part.weights.push_back (
          part.weights[size_t (window.column_weights + x * window.columns + tap)] / (bytes ? byte_weight : 1));
}

/* The loops of small windows are unrolled, which takes a third less time on an H100. If local memory cannot hold a tile, each
 * item sums its own columns. */
void
FrameConverter::fit_windows (Part &part, const ConvertTask &task)
{
  constexpr int small = 3, most_lines = 4;
  constexpr size_t local_bytes = 32768; /* every device has at least this */
  int longest = 0, samples = 0, sides = 0;
  for (size_t i = 0; i < part.sources.size (); i++) {
    const int side = std::max (part.numbers.in[i].rows, part.numbers.in[i].columns);
    sides |= side << 4 * i;
    longest = std::max (longest, side);
    samples = std::max (samples, tile_samples (part, task, i));
  }
  samples = int (round_up (samples, 2 * convert_group[0])); /* rounded, so that a few programs serve all sizes */
  const Part::Window &first = part.numbers.in[0];
  const bool is_apart = 2 * first.width > 3 * part.rect.width; /* whether windows are apart by about two pixels */
  const size_t line_bytes = convert_group[1] * samples * sizeof (cl_float);
  part.options += {{"WINDOWS", longest <= small ? sides : 0}};
  part.is_tiled = longest > small && line_bytes <= local_bytes;
  if (!part.is_tiled) {
    part.options += {{"TILE_SAMPLES", 0}};
    return;
  }
  part.item_lines = most_lines * line_bytes <= local_bytes ? most_lines : 1;
  part.options += {{"TILE_SAMPLES", samples}, {"ITEM_LINES", part.item_lines}, {"TILE_SPLIT", is_apart},
      {"GROUP_COLUMNS", int (convert_group[0])}, {"GROUP_ROWS", int (convert_group[1])}};
  const auto fits_bytes = [&] (size_t i) { return part.numbers.in[i].rows <= most_byte_rows; };
  const bool bytes =
      is_bytes (task.src_format) && std::ranges::all_of (std::views::iota (size_t (0), part.sources.size ()), fits_bytes);
  part.options += {{"BYTE_COLUMNS", bytes}};
  for (size_t i = 0; i < part.sources.size (); i++)
    turn_weights (part, i, bytes);
}

std::optional<PairTables>
FrameConverter::pair_tables (const Part &part, const ConvertTask &task) const
{
  if (!is_bytes (task.src_format) || !is_bytes (task.dst_format) || part.is_tiled || dither_for (task))
    return std::nullopt;
  std::vector<PairSource> sources;
  for (size_t i = 0; i < part.sources.size (); i++) {
    const Part::Window &window = part.numbers.in[i];
    const auto windows = [&] (int taps, int n, cl_int starts, cl_int weights) {
      return Windows{
          taps, std::span (part.starts).subspan (starts, n), std::span (part.weights).subspan (weights, size_t (n) * taps)};
    };
    sources.push_back ({task.src[part.sources[i]].layout->samples_per_pixel, window.width,
        windows (window.columns, part.rect.width, window.column_starts, window.column_weights),
        windows (window.rows, part.rect.height, window.row_starts, window.row_weights)});
  }
  return make_pair_tables (sources);
}

/* For sums of weighted bytes with a bias; results are in 256ths. */
FrameConverter::Part::Pairs
FrameConverter::make_pairs (const Part &part, const PairTables &tables, const ScratchName &name)
{
  Part::Pairs pairs{tables.options, {name.with ("pairs", part.planes[0]), tables.columns},
      {name.with ("pair rows", part.planes[0]), tables.rows}, part.numbers.factors, part.numbers.constants};
  constexpr int whole = 256;
  for (size_t o = 0; o < pairs.factors.size (); o++) {
    double constant = double (pairs.constants[o]) / whole;
    for (cl_float &factor : pairs.factors[o]) {
      factor /= cl_float (pair_whole_weight) * whole;
      constant -= double (factor) * pair_bias;
    }
    pairs.constants[o] = cl_float (constant);
  }
  return pairs;
}

}  // namespace gst::cl
