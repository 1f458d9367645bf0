/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/box.hpp"

#include "core/arithmetic.hpp"
#include "shared/separable.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* How many sums after a row's end kernels may read: twice BOX_LANES of kernels/shared/box.cl. */
constexpr int sums_behind = 32;

KernelSpec
spec_of (const BoxWindow &window, const char *function, const char *engine)
{
  KernelSpec spec{.sources = window.sources, .function = function, .options = window.options};
  spec.sources.insert (spec.sources.end (), {engine, "shared/box.cl"});
  return spec;
}

Launch
by_bands (const Runner &runner, const PlaneTask &task, const BoxWindow &window, const ScratchName &name)
{
  /* A band begins with the sum of its first window. */
  const Bands bands = cut_bands (int (runner.cl ().device.compute_units), task.region.height, 1, std::max (32, window.radius));
  const int samples = task.src.layout->samples_per_pixel;
  const size_t pitch = size_t (task.src.width + 2 * window.radius) * samples + sums_behind;
  const size_t blank = size_t (task.src.width) * samples * runner.format ().sample_size ();
  const cl_ulong each = round_up (pitch * sizeof (cl_uint) + blank, scratch_unit);
  KernelSpec spec = spec_of (window, "box", "shared/bands.clh");
  spec.jobs = size_t (bands.count);
  return {std::move (spec),
      window.arguments
          + Arguments{cl_int (window.radius), cl_int (bands.rows), ScratchArgument{name, each * bands.count}, each}};
}

/* Sums columns into memory, in parts that fit into a device's cache, and then sums rows of these sums. */
Launches
by_two_passes (const PlaneTask &task, const BoxWindow &window, const ScratchName &name)
{
  constexpr int least_band = 64;
  constexpr size_t group = 64;
  const int samples = task.samples_per_pixel (), item = samples == 3 ? 12 : 16;
  /* each part of a row begins with the sum of a whole window */
  const int chunks = std::clamp (window.radius / 8, 2, 32);
  KernelSpec rows = spec_of (window, "box_rows", "lib/point.clh");
  rows.item_samples = item;
  rows.local_x = 8;
  rows.local_y = 16;
  KernelSpec columns = rows;
  columns.function = "box_columns";
  const int before = divide_up (window.radius * samples, 4) * 4, unit = item * chunks;
  const int first = Patch::of (task).x / item * item, end = Patch::of (task).x + Patch::of (task).width;
  const int items = divide_up (end - first, unit), pitch = items * unit + 2 * before + item;
  Launches launches;
  for (const PlaneTask &part : cut_parts (task, pitch * sizeof (cl_uint), std::max (least_band, window.radius))) {
    const Patch patch = Patch::of (part);
    const int band = std::max (least_band, window.radius);
    const ScratchArgument sums{name, size_t (pitch) * patch.height * sizeof (cl_uint)};
    launches.push_back (
        Launch::range (columns, {{round_up (size_t (pitch / 4), group), size_t (divide_up (patch.height, band))}, {group, 1}},
            {patch.src, patch.src_offset, patch.src_stride, Runner::plane_argument (part),
                cl_int4{{first - before, patch.y, pitch / 4 * 4, patch.height}}, cl_int (window.radius), cl_int (band), sums,
                cl_int (pitch)})
            .on (part));
    const Arguments own{cl_int (window.radius), before - window.radius * samples, chunks, sums, cl_int (pitch)};
    launches.push_back (Launch (rows, window.arguments + own).on (part));
    launches.back ().size = {{size_t (divide_up (items, rows.local_x) * rows.local_x),
                                 size_t (divide_up (patch.height, rows.local_y) * rows.local_y)},
        {size_t (rows.local_x), size_t (rows.local_y)}};
  }
  return launches;
}

}  // namespace

Launches
box_launches (const Runner &runner, const PlaneTask &task, const BoxWindow &window, const ScratchName &scratch)
{
  const std::vector<int> ones (2 * window.radius + 1, 1);
  if (window.is_mean && takes_matrix_window (runner, window.radius))
    return {matrix_launch (runner, task, {ones, ones, true})};
  if (runner.backend () == Backend::cpu)
    return {by_bands (runner, task, window, scratch)};
  return by_two_passes (task, window, scratch);
}

}  // namespace gst::cl
