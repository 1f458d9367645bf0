/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/matrixwindow.hpp"

#include "core/arithmetic.hpp"
#include "core/vendors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gst::cl {

namespace {

/* Outputs of a product, and the increase of the radius for each step on either side. */
constexpr int tile = 16, step = 8;
constexpr int max_steps = max_matrix_radius / step;

constexpr int sub_group = 32;
constexpr int max_band = 128;

int
steps_of (int radius)
{
  return (radius + step - 1) / step;
}

/* Four weights as the bytes of a word. */
template <typename WeightAt>
cl_uint
pack_bytes (const std::vector<int> &weights, int byte, WeightAt distance_at)
{
  cl_uint word = 0;
  for (int i = 0; i < 4; i++) {
    const int tap = distance_at (i) + int (weights.size ()) / 2;
    const int weight = tap >= 0 && tap < int (weights.size ()) ? weights[tap] : 0;
    word |= cl_uint (weight >> 8 * byte & 0xff) << 8 * i;
  }
  return word;
}

/* Rows of a band if there are `columns` groups side by side. Long bands sum fewer rows twice; short bands leave no
 * multiprocessor without work. */
int
band_rows (const Runner &runner, int height, int columns)
{
  constexpr int groups_at_once = 4;
  const int groups = groups_at_once * int (runner.cl ().device.compute_units);
  const int rows = int (int64_t (height) * columns / groups);
  return std::clamp (divide_up (rows, tile) * tile, 2 * tile, max_band);
}

/* The weights in the order in which the kernel's items load them. */
std::vector<cl_uint>
matrix_fragments (const MatrixWindow &window)
{
  const int steps = steps_of (window.radius ()), chunks = steps + 1;
  std::vector<cl_uint> fragments;
  for (const bool down : {false, true})
    for (int byte = window.weight_bytes () - 1; byte >= 0; byte--)
      for (int chunk = 0; chunk < chunks; chunk++)
        for (int which = 0; which < 2; which++)
          for (int item = 0; item < sub_group; item++) {
            const int g = item / 4, t = item % 4, first = tile * chunk - step * steps;
            /* the position of the word's samples minus that of the result */
            fragments.push_back (pack_bytes (down ? window.column : window.row, byte, [=] (int i) {
              return down ? first + i / 2 * 8 + 2 * t + i % 2 - (8 * which + g) : first + 4 * t + i - (2 * g + which);
            }));
          }
  return fragments;
}

}  // namespace

std::optional<std::vector<int>>
matrix_weights (const std::vector<double> &weights)
{
  constexpr int one = 1 << 16;
  const int n = int (weights.size ());
  std::vector<int> rounded (n);
  int all = 0;
  for (const int side : {0, n - 1}) {
    double outer = 0;
    int before = 0;
    for (int i = 0; i < n / 2; i++) {
      outer += weights[std::abs (side - i)];
      rounded[std::abs (side - i)] = int (std::lround (outer * one)) - before;
      before += rounded[std::abs (side - i)];
    }
    all += before;
  }
  rounded[n / 2] = int (std::lround (std::accumulate (weights.begin (), weights.end (), 0.0) * one)) - all;
  if (std::ranges::any_of (rounded, [] (int w) { return w < 0 || w >= one; }) || all + rounded[n / 2] > one)
    return std::nullopt;
  return rounded;
}

bool
takes_matrix_window (const Runner &runner, int radius)
{
  return runner.backend () == Backend::gpu && runner.format ().depth == 8 && vendors::has_matrix_units (runner.cl ().device)
         && radius >= 1 && steps_of (radius) <= max_steps;
}

Launch
matrix_launch (const Runner &runner, const PlaneTask &task, const MatrixWindow &window)
{
  constexpr int sub_groups = 4;
  const int samples = task.samples_per_pixel ();
  const int strips = samples == 1 ? 4 : samples == 2 ? 2 : 1;
  KernelSpec spec{.sources = {"shared/matrix_window.cl"},
      .function = "matrix_window",
      .options = {{"STEPS", steps_of (window.radius ())}, {"STRIPS", strips}, {"WARPS", sub_groups}, {"MAX_BAND", max_band},
          {"PLANES", window.weight_bytes ()}},
      .takes_steps = true};
  const int unit = tile * samples * strips;
  const Patch part = Patch::of (task);
  const int columns = divide_up (divide_up (part.x + part.width, unit) - part.x / unit, sub_groups);
  const int band = band_rows (runner, part.height, columns);
  const double samples_of_window = double (window.row.size ()) * double (window.column.size ());
  Launch launch (
      std::move (spec), {TableArgument ("matrix-window", matrix_fragments (window)), band, cl_float (1 / samples_of_window)});
  launch.size = {{size_t (sub_group) * columns, size_t (sub_groups) * divide_up (part.height, band)}, {sub_group, sub_groups}};
  return launch;
}

}  // namespace gst::cl
