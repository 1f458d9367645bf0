/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "blur/gaussian.hpp"

#include "blur/bands.hpp"
#include "blur/matrixwindow.hpp"
#include "core/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gst::cl {

namespace {

constexpr int max_radius = 512;

/* Rows that the cpu back end sums together: the registers that hold them and their sums. */
constexpr int gaussian_band_rows = 8;
/* Samples behind the sums of a row that may be read, ACROSS_SAMPLES. */
constexpr int gaussian_sums_behind = 128;

/* Zeros around the weights, WEIGHT_PAD: no item is longer. */
constexpr int weight_pad = 32;

/* The weights with `pad` zeros at either end, and behind them as many as the largest window needs, so that the table
 * keeps its size. */
std::vector<float>
padded_weights (const GaussianWeights &weights, int pad)
{
  std::vector<float> padded (2 * (max_radius + weight_pad) + 1);
  std::ranges::copy (weights.values, padded.begin () + pad);
  return padded;
}

/* Those of every kernel, and what it does with the sums. */
Arguments
with_result (Arguments arguments, const std::optional<Sharpening> &sharpening)
{
  if (sharpening)
    arguments.insert (arguments.end (), {cl_float (sharpening->amount), cl_float (sharpening->least)});
  else
    arguments.push_back (cl_int (0));
  return arguments;
}

Options
result_option (const std::optional<Sharpening> &sharpening)
{
  return Options{{"SUM_FLOAT", 1}} + option_if (sharpening.has_value (), {"SHARPEN", 1});
}

void
run_bands (Runner &runner, const PlaneTask &task, const GaussianWeights &weights, const std::optional<Sharpening> &sharpening)
{
  const Bands bands = cut_bands (runner, task, gaussian_band_rows);
  const int samples = task.src.layout->samples_per_pixel;
  const size_t pitch = size_t (task.src.width + 2 * weights.radius) * samples + gaussian_sums_behind;
  const size_t blank = size_t (task.src.width) * samples * runner.format ().sample_size ();
  const cl_ulong each = round_up (gaussian_band_rows * pitch * sizeof (float) + blank, scratch_unit);
  const KernelSpec spec{.sources = {"shared/quotient.clh", "lib/tile.clh", "blur/separable.clh", "blur/gaussian.cl"},
      .function = "gaussian",
      .options = Options{{"BAND_ROWS", gaussian_band_rows}} + result_option (sharpening),
      .jobs = size_t (bands.count)};
  runner.launch (spec, task, Patch::of (task),
      with_result ({TableArgument ("gaussian", padded_weights (weights, gaussian_band_rows - 1)), weights.radius, bands.rows,
                       ScratchArgument{"gaussian", each * bands.count}, each},
          sharpening));
}

/* Radii for which blur/gaussian_tile.cl is built; the weights of others end in zeros. */
constexpr int tile_radii[] = {2, 4, 6, 9, 12, 15, 18, 24};

/* Zeros around the weights of a tile, whose items look at more than their windows. */
constexpr int tile_weight_pad = 80;

/* The radius of the tile kernel that serves for weights, or 0. */
int
tile_radius (const Runner &runner, const GaussianWeights &weights, const std::optional<Sharpening> &sharpening)
{
  if (sharpening || runner.format ().depth > 8)
    return 0;
  const auto found = std::ranges::lower_bound (tile_radii, weights.radius);
  return found == std::end (tile_radii) ? 0 : *found;
}

KernelSpec
tile_spec (int radius)
{
  /* Long windows need wide tiles, short ones many groups at a time; measured on an H200. */
  const int group_x = radius <= 12 ? 8 : 16;
  constexpr int group_y = 16;
  return {.sources = {"blur/tile_edge.clh", "blur/gaussian_tile.cl"},
      .function = "gaussian_tile",
      .options = {{"GROUP_X", group_x}, {"GROUP_Y", group_y}, {"RADIUS", radius}, {"WEIGHT_PAD", tile_weight_pad}},
      .item_samples = radius <= 12 ? 48 : 32,
      .local_x = group_x,
      .local_y = group_y,
      .takes_steps = true};
}

void
run_tiles (Runner &runner, const PlaneTask &task, const GaussianWeights &weights, const KernelSpec &spec, int radius)
{
  const double lacking = 1 - std::accumulate (weights.values.begin (), weights.values.end (), 0.0);
  const int pad = tile_weight_pad + radius - weights.radius;
  const ::cl::Buffer &table = runner.memory.table ("gaussian", padded_weights (weights, pad));
  runner.launch (spec, task, Patch::of (task), {table, cl_float (std::ldexp (lacking, 23))});
}

/* The weights as multiples of 2^-16 whose sum is 1. What is rounded is the sum of all that are farther out, so that an
 * edge is right to 2^-17 of its height. None if no matrix is multiplied, or the centre's weight is 1. */
std::optional<MatrixWindow>
matrix_window (const Runner &runner, const GaussianWeights &weights, const std::optional<Sharpening> &sharpening)
{
  if (sharpening || !takes_matrix_window (runner, weights.radius))
    return std::nullopt;
  constexpr int one = 1 << 16;
  MatrixWindow window{"blur/gaussian_matrix.cl", "gaussian_matrix", std::vector<int> (weights.values.size ()), 2, 1};
  double outer = 0;
  int rounded = 0;
  for (int d = weights.radius; d > 0; d--) {
    outer += weights.values[weights.radius + d];
    const int before = rounded;
    rounded = int (std::lround (outer * one));
    window.weights[weights.radius - d] = window.weights[weights.radius + d] = rounded - before;
  }
  window.weights[weights.radius] = one - 2 * rounded;
  if (rounded <= 0)
    return std::nullopt;
  return window;
}

/* The same bytes as its matrix kernel's, which is still being built. */
void
run_integers (Runner &runner, const PlaneTask &task, const MatrixWindow &window)
{
  constexpr int group_x = 32, group_y = 8;
  const KernelSpec spec{.sources = {"blur/gaussian_integer.cl"},
      .function = "gaussian_integer",
      .options = {{"GROUP_X", group_x}, {"GROUP_Y", group_y}, {"MAX_RADIUS", max_matrix_radius}},
      .item_samples = task.samples_per_pixel (),
      .item_rows = 4,
      .local_x = group_x,
      .local_y = group_y};
  const std::vector<cl_uint> weights (window.weights.begin (), window.weights.end ());
  runner.launch (spec, task, Patch::of (task), {TableArgument ("gaussian-integer", weights), window.radius ()});
}

void
run_two_passes (
    Runner &runner, const PlaneTask &task, const GaussianWeights &weights, const std::optional<Sharpening> &sharpening)
{
  static constexpr int column_rows[] = {4, 8, 16};
  const int pitch = sums_pitch (task);
  KernelSpec columns{.sources = {"shared/quotient.clh", "blur/gaussian.cl"},
      .function = "gaussian_columns",
      .options = Options{{"WEIGHT_PAD", weight_pad}} + result_option (sharpening),
      .item_samples = 4,
      .item_rows = 4,
      .local_x = 64,
      .local_y = 2,
      .tunable = {.local = true, .rows = column_rows}};
  KernelSpec rows = columns;
  columns.options += {{"COLUMNS", 1}};
  rows.function = "gaussian_rows";
  rows.item_samples = task.src.layout->samples_per_pixel == 3 ? 12 : 16;
  rows.item_rows = 1;
  rows.local_x = 32;
  rows.local_y = 4;
  rows.tunable.rows = {};
  rows.takes_steps = true;

  const Arguments arguments{TableArgument ("gaussian", padded_weights (weights, weight_pad)), weights.radius,
      ScratchArgument{"gaussian", size_t (pitch) * task.region.height * sizeof (float)}, pitch};
  runner.launch (columns, task, Patch::of (task, columns_reached (task, weights.radius)), arguments);
  runner.launch (rows, task, Patch::of (task), with_result (arguments, sharpening));
}

}  // namespace

int
gaussian_radius (double sigma)
{
  return int (std::ceil (3 * sigma));
}

GaussianWeights
gaussian_weights (double sigma, int radius, int max)
{
  std::vector<double> half (radius + 1);
  for (int d = 0; d <= radius; d++)
    half[d] = std::exp (-(double (d) * d) / (2 * sigma * sigma));
  const double sum = 2 * std::accumulate (half.begin () + 1, half.end (), half[0]) - half[0];
  /* Both passes leave their ends out, on two sides each. */
  const double least = 0.01 / max / 4;
  double left_out = 0;
  while (radius > 0 && left_out + half[radius] / sum < least)
    left_out += half[radius--] / sum;

  GaussianWeights weights{radius, std::vector<float> (2 * radius + 1)};
  const double kept = 1 - 2 * left_out;
  for (int d = -radius; d <= radius; d++)
    weights.values[radius + d] = float (half[std::abs (d)] / sum / kept);
  return weights;
}

void
run_gaussian (
    Runner &runner, const PlaneTask &task, const GaussianWeights &weights, const std::optional<Sharpening> &sharpening)
{
  if (runner.backend () == Backend::cpu)
    return run_bands (runner, task, weights, sharpening);
  if (const std::optional<MatrixWindow> window = matrix_window (runner, weights, sharpening)) {
    if (!run_matrix_window (runner, task, *window))
      run_integers (runner, task, *window);
    return;
  }
  if (const int radius = tile_radius (runner, weights, sharpening)) {
    const KernelSpec spec = tile_spec (radius);
    if (runner.ready (spec, task))
      return run_tiles (runner, task, weights, spec, radius);
  }
  for (const PlaneTask &part : cut_parts (task, sums_pitch (task) * sizeof (float), weights.radius))
    run_two_passes (runner, part, weights, sharpening);
}

}  // namespace gst::cl
