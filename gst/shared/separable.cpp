/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/separable.hpp"

#include "core/arithmetic.hpp"
#include "core/vendors.hpp"
#include "shared/launches.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gst::cl {

namespace {

/* Outputs of a product, and the increase of the radius for each step on either side. */
constexpr int tile = 16, step = 8;
/* of the largest radius of the kernels */
constexpr int max_steps = 24 / step;

constexpr int sub_group = 32;
constexpr int max_band = 128;

int
steps_of (int radius)
{
  return divide_up (radius, step);
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
  return round_up (band_on_gpu (runner, columns, height, 2 * tile, max_band, groups_at_once), tile);
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
            /* the position of the word's samples minus the result's */
            fragments.push_back (pack_bytes (down ? window.column : window.row, byte, [=] (int i) {
              return down ? first + i / 2 * 8 + 2 * t + i % 2 - (8 * which + g) : first + 4 * t + i - (2 * g + which);
            }));
          }
  return fragments;
}

/* Whether the device multiplies such matrices, and the kernels support this radius. */
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
  KernelSpec spec{.sources = {"shared/matrix_window.cl"},
      .function = "matrix_window",
      .options = {{"STEPS", steps_of (window.radius ())}, {"WARPS", sub_groups}, {"MAX_BAND", max_band},
          {"PLANES", window.weight_bytes ()}},
      .joins_chroma = steps_of (window.radius ()) == 1, /* larger ones take a tenth longer joined */
      .takes_steps = true};
  const int unit = tile * (samples == 3 ? 3 : 4); /* LINES of the kernel */
  const Patch part = Patch::of (task);
  const int columns = divide_up (divide_up (part.x + part.width, unit) - part.x / unit, sub_groups);
  const int band = band_rows (runner, part.height, columns);
  const double samples_of_window = double (window.row.size ()) * double (window.column.size ());
  Launch launch (
      std::move (spec), {TableArgument ("matrix-window", matrix_fragments (window)), band, cl_float (1 / samples_of_window)});
  launch.size = {{size_t (sub_group) * columns, size_t (sub_groups) * divide_up (part.height, band)}, {sub_group, sub_groups}};
  return launch;
}

template <typename T>
std::vector<T>
converted (const std::vector<double> &values)
{
  return {values.begin (), values.end ()};
}

template <typename Use>
auto
with_type (SumType type, const std::vector<double> &taps, Use use)
{
  switch (type) {
    case SumType::float32:
      return use (converted<cl_float> (taps));
    case SumType::int32:
      return use (converted<cl_int> (taps));
    default:
      return use (converted<cl_long> (taps));
  }
}

size_t
size_of (SumType type)
{
  return type == SumType::int64 ? sizeof (cl_long) : sizeof (cl_float);
}

KernelSpec
kernel_of (const SeparableWindow &window, const char *function, std::initializer_list<const char *> sources)
{
  KernelSpec spec{.sources = {"shared/quotient.clh", window.result_source},
      .function = function,
      .options = window.options,
      .joins_chroma = true};
  spec.sources.insert (spec.sources.end (), sources.begin (), sources.end ());
  spec.options.push_back (sum_option (window.sum));
  return spec;
}

/* The parameters of kernels/shared/separable.cl. */
struct Steps {
  static constexpr int rows = 4;
  int samples, taps; /* STEP_SAMPLES, step_taps */
  int before;        /* samples from the first tap's sample to the middle one's */
  int down, across;
  std::vector<double> table = {};

  Steps (const SeparableWindow &window, int samples_per_pixel)
      : samples (samples_per_pixel == 3 ? 12 : 4), taps (samples / samples_per_pixel),
        before (round_up (window.width () / 2 * samples_per_pixel, samples)), down (divide_up (window.height (), rows))
  {
    const int zeros = before / samples_per_pixel - window.width () / 2;
    across = divide_up (zeros + window.width (), taps);
    for (const auto &[column, row] : window.products) {
      const size_t row_at = table.size () + size_t (down) * rows;
      table.insert (table.end (), column.begin (), column.end ());
      table.resize (row_at + zeros);
      table.insert (table.end (), row.begin (), row.end ());
      table.resize (row_at + size_t (across) * taps);
    }
  }
  /** Samples that a row of results needs beyond its own, on both sides together. */
  int reach () const { return across * samples; }
  cl_int2 counts () const { return {{down, across}}; }
};

/* Samples per item. */
constexpr int item_samples = 16;

/* Filters by one product, through column sums in memory. */
Launches
by_two_passes (const PlaneTask &task, const SeparableWindow &window, const Steps &steps)
{
  KernelSpec rows = kernel_of (window, "separable_rows", {"lib/point.clh", "shared/separable.cl"});
  rows.options += {{"TILED", 0}};
  rows.item_samples = item_samples;
  rows.tunable = {.local = true};
  KernelSpec columns = rows;
  columns.function = "separable_columns";
  rows.takes_steps = true;
  const Patch patch = Patch::of (task);
  const int first = patch.x / item_samples * item_samples;
  const int pitch = (round_up (patch.x + patch.width, item_samples) - first + steps.reach ()) / 4;
  const int high = round_up (patch.height, Steps::rows);
  const Argument taps = tap_table (window.sum, task.samples_per_pixel (), steps.table);
  const ScratchArgument sums{"separable", size_t (pitch) * 4 * high * size_of (window.sum)};
  return {Launch::range (columns, {{round_up (size_t (pitch), 64), size_t (high / Steps::rows)}, {64, 1}},
              {patch.src, patch.src_offset, patch.src_stride, Runner::plane_argument (task), taps, steps.counts (),
                  cl_int2{{first - steps.before, patch.y - window.height () / 2}}, cl_int2{{pitch, patch.height}}, sums, pitch})
              .on (task),
      Launch (rows, Arguments{taps, steps.counts (), sums, pitch} + window.result).on (task)};
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

Option
sum_option (SumType type)
{
  constexpr const char *names[] = {"SUM_FLOAT", "SUM_INT", "SUM_LONG"};
  return {names[int (type)], 1};
}

Argument
sum_argument (SumType type, double value)
{
  return with_type (type, {value}, [] (const auto &values) -> Argument { return values.front (); });
}

Argument
tap_table (SumType type, int samples, const std::vector<double> &taps)
{
  return with_type (type, taps,
      [&] (const auto &values) -> Argument { return TableArgument (ScratchName ("taps", samples, int (type)), values); });
}

ValueArgument
tap_values (SumType type, const std::vector<double> &taps)
{
  return with_type (type, taps, [] (const auto &values) { return ValueArgument (values); });
}

Bands
cut_bands (int processors, int height, int unit, int least)
{
  constexpr int jobs_per_processor = 4;
  const int jobs = std::max (1, jobs_per_processor * processors);
  const int rows = round_up (divide_up (height, std::clamp (height / least, 1, jobs)), unit);
  return {rows, divide_up (height, rows)};
}

std::vector<PlaneTask>
cut_parts (const PlaneTask &task, size_t row_bytes, int least)
{
  constexpr size_t cached = 16 << 20;
  const int height = task.region.height;
  const int limit = std::max<int> (least, cached / row_bytes);
  const int rows = divide_up (height, divide_up (height, limit));
  std::vector<PlaneTask> parts;
  for (int y = 0; y < height; y += rows) {
    PlaneTask part = task;
    part.region.y += y;
    part.region.height = std::min (rows, height - y);
    parts.push_back (part);
  }
  return parts;
}

namespace {

/* The kernel of the cpu back end. */
Launch
by_bands (const Runner &runner, const PlaneTask &task, const SeparableWindow &window)
{
  /* rows that are summed together; the registers hold them and their sums */
  constexpr int band_rows = 8;
  /* ACROSS_SAMPLES: how many sums after the last one may be read */
  constexpr int behind = 128;
  const Bands bands = cut_bands (int (runner.cl ().device.compute_units), task.region.height, band_rows);
  const int rank = int (window.products.size ()), samples = task.samples_per_pixel (), width = task.src.width;
  const size_t pitch = size_t (width + window.width ()) * samples + behind;
  const size_t blank = size_t (width) * samples * runner.format ().sample_size ();
  const cl_ulong each = round_up (rank * band_rows * pitch * size_of (window.sum) + blank, scratch_unit);
  KernelSpec spec = kernel_of (window, "separable_bands", {"shared/bands.clh", "shared/bands.cl"});
  spec.options += {{"BAND_ROWS", band_rows}, {"RANK", rank}};
  spec.jobs = size_t (bands.count);
  spec.own_borders = true;
  spec.any_pixel = samples != 3; /* three need other vectors */
  std::vector<double> taps;
  for (const auto &[column, row] : window.products) {
    taps.resize (taps.size () + band_rows - 1);
    taps.insert (taps.end (), column.begin (), column.end ());
    taps.resize (taps.size () + band_rows - 1);
    taps.insert (taps.end (), row.begin (), row.end ());
  }
  return {std::move (spec), Arguments{tap_table (window.sum, samples, taps), cl_int2{{window.width (), window.height ()}},
                                bands.rows, ScratchArgument{"bands", each * bands.count}, each}
                                + window.result};
}

/* The single kernel of the gpu back end; nothing for windows that need two kernels. */
std::optional<Launch>
separable_tile (const Runner &runner, const SeparableWindow &window, int samples)
{
  /* the space in local memory besides a group's own samples; programs are built for powers of two */
  constexpr int most_taps = 64, group_x = 16, group_y = 8;
  const Steps steps (window, samples);
  if (steps.reach () > most_taps * samples)
    return {};
  /* luma has the space that chroma needs, because they share the program */
  const int most = runner.kernels.interleaved_chroma ? std::max (samples, 2) : samples;
  const int needed = most == samples ? steps.reach () : Steps (window, most).reach ();
  int reach = 8 * most;
  while (reach < needed)
    reach *= 2;
  KernelSpec spec = kernel_of (window, "separable", {"lib/point.clh", "shared/separable.cl"});
  spec.item_samples = item_samples;
  spec.takes_steps = true;
  spec.local_x = group_x;
  spec.local_y = window.sum == SumType::int64 ? group_y / 2 : group_y;
  spec.options += {{"TILED", 1}, {"GROUP_X", group_x}, {"GROUP_Y", spec.local_y}, {"REACH_FOURS", reach / 4}};
  return Launch (std::move (spec), Arguments{tap_table (window.sum, samples, steps.table), steps.counts (), steps.before,
                                       window.height () / 2, cl_int (window.products.size ())}
                                       + window.result);
}

}  // namespace

Launches
separable_launches (const Runner &runner, const PlaneTask &task, const SeparableWindow &window)
{
  const int samples = task.samples_per_pixel ();
  if (window.matrix && takes_matrix_window (runner, window.matrix->radius ()))
    return {matrix_launch (runner, task, *window.matrix)};
  if (runner.backend () == Backend::cpu)
    return {by_bands (runner, task, window)};
  if (const std::optional<Launch> tile = separable_tile (runner, window, samples))
    return {*tile};
  const Steps steps (window, samples);
  const size_t row_bytes = size_t (task.src.width * samples + steps.reach ()) * size_of (window.sum);
  Launches launches;
  for (const PlaneTask &part : cut_parts (task, row_bytes, window.height ()))
    launches += by_two_passes (part, window, steps);
  return launches;
}

namespace {

/* How many sums after a row's end kernels may read: twice BOX_LANES of kernels/shared/box.cl. */
constexpr int sums_behind = 32;
/* Rows of a part: the rows around it are read twice. */
constexpr int least_part = 64;

KernelSpec
box_spec (const BoxWindow &window, const char *function, const char *engine)
{
  KernelSpec spec{.sources = window.sources, .function = function, .options = window.options};
  spec.sources.insert (spec.sources.end (), {engine, "shared/box.cl"});
  return spec;
}

Launch
box_bands (const Runner &runner, const PlaneTask &task, const BoxWindow &window, const ScratchName &name)
{
  /* A band begins with the sum of its first window. */
  const Bands bands = cut_bands (int (runner.cl ().device.compute_units), task.region.height, 1, std::max (32, window.radius));
  const int samples = task.src.layout->samples_per_pixel;
  const size_t pitch = size_t (task.src.width + 2 * window.radius) * samples + sums_behind;
  const size_t blank = size_t (task.src.width) * samples * runner.format ().sample_size ();
  const cl_ulong each = round_up (pitch * sizeof (cl_uint) + blank, scratch_unit);
  KernelSpec spec = box_spec (window, "box", "shared/bands.clh");
  spec.jobs = size_t (bands.count);
  return {std::move (spec),
      window.arguments
          + Arguments{cl_int (window.radius), cl_int (bands.rows), ScratchArgument{name, each * bands.count}, each}};
}

/* Sums columns into memory, in parts that fit into a device's cache, and then sums rows of these sums. */
Launches
box_passes (const Runner &runner, const PlaneTask &task, const BoxWindow &window, const ScratchName &name)
{
  constexpr size_t group = 64;
  const int samples = task.samples_per_pixel (), item = samples == 3 ? 12 : 16;
  /* each part of a row begins with the sum of a whole window */
  const int chunks = std::clamp (window.radius / 8, 2, 32);
  KernelSpec rows = box_spec (window, "box_rows", "lib/point.clh");
  rows.item_samples = item;
  rows.local_x = 8;
  rows.local_y = 16;
  KernelSpec columns = rows;
  columns.function = "box_columns";
  const int before = divide_up (window.radius * samples, 4) * 4, unit = item * chunks;
  const int first = Patch::of (task).x / item * item, end = Patch::of (task).x + Patch::of (task).width;
  const int items = divide_up (end - first, unit), pitch = items * unit + 2 * before + item;
  Launches launches;
  for (const PlaneTask &part : cut_parts (task, pitch * sizeof (cl_uint), std::max (least_part, window.radius))) {
    const Patch patch = Patch::of (part);
    const int band =
        band_on_gpu (runner, pitch / 4, patch.height, std::max (8, window.radius / 4), std::max (least_part, window.radius));
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
    return {box_bands (runner, task, window, scratch)};
  return box_passes (runner, task, window, scratch);
}

}  // namespace gst::cl
