/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "threshold/plan.hpp"

#include "core/arithmetic.hpp"
#include "shared/histogram_plan.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl {

namespace {

const PlaneLayout gray_layout{1, {first, padding, padding, padding}, 0, 0};

/* v, or the half of an integer next to it where that is what was meant: 225 * 0.02 * 255 is 1147.5000000000002. */
double
half_or (double v)
{
  constexpr double noise = 1e-12;
  const double half = std::nearbyint (2 * v) / 2;
  return std::abs (v - half) <= noise * std::abs (v) ? half : v;
}

/* The scalars of kernels/threshold/mean.cl, in the type that holds a window's sum times the kernel's factors. */
template <typename Sum> struct MeanNumbers {
  cl_int radius;
  Sum samples, floor_limit, divisor;
  cl_float inverse;
  Sum offset;

  MeanNumbers (const ThresholdSettings &settings, const BlackWhite &range)
      : radius (settings.radius), samples ((2 * radius + 1) * (2 * radius + 1)), divisor (4 * samples),
        inverse (1.0f / cl_float (divisor))
  {
    const double limit = half_or (-double (samples) * settings.offset * (range.white - range.black));
    floor_limit = Sum (std::floor (limit));
    /* shared/quotient.clh: doubled and cut, with a mark for what was cut */
    const double doubled = 2 * limit;
    offset = 2 * Sum (std::floor (doubled)) + (doubled != std::floor (doubled));
  }
};

/* Eight bits and ten leave room in 32 bits for four times a window's sum. */
bool
fits_int (const Format &format)
{
  return format.depth <= 10;
}

KernelSpec
mean_spec (const Format &format, const ThresholdSettings &settings)
{
  return {.sources = {"shared/quotient.clh", "lib/point.clh", "lib/pixel.clh", "threshold/threshold.clh", "threshold/mean.cl"},
      .function = "threshold_mean",
      .options = {{fits_int (format) ? "SUM_INT" : "SUM_LONG", 1}, {"TRUNCATE", settings.type == ThresholdType::trunc}}};
}

template <typename Sum>
Arguments
arguments_of (const MeanNumbers<Sum> &n)
{
  return {n.radius, n.samples, n.floor_limit, n.divisor, n.inverse, n.offset, cl_int (0)};
}

/* Those of both back ends, and those of one behind them. */
Arguments
mean_arguments (const Format &format, const ThresholdSettings &settings, const BlackWhite &range, const Arguments &own)
{
  Arguments all = fits_int (format) ? arguments_of (MeanNumbers<cl_int> (settings, range))
                                    : arguments_of (MeanNumbers<cl_long> (settings, range));
  const ThresholdOutcome outcome = threshold_outcome (settings.type, range);
  all.insert (all.end (), {outcome.values, outcome.truncate});
  all.insert (all.end (), own.begin (), own.end ());
  return all;
}

void
mean_on_cpu (
    Runner &runner, const PlaneTask &task, const ThresholdSettings &settings, const BlackWhite &range, const ScratchName &label)
{
  constexpr size_t cache_line = 64;
  const Format &format = runner.format ();
  KernelSpec spec = mean_spec (format, settings);
  spec.jobs = std::min<size_t> (runner.cl ().device.compute_units, task.region.height);
  for (const Patch &patch : patches_of (runner, task, Window::centered (settings.radius, settings.radius), spec)) {
    const cl_int band = cl_int (divide_up (patch.height, spec.jobs));
    const size_t columns = patch.width + 2 * settings.radius * task.src.layout->samples_per_pixel;
    const size_t sums_at = round_up (columns * (format.depth == 8 ? sizeof (cl_ushort) : sizeof (cl_uint)), cache_line);
    const size_t each = sums_at + round_up (patch.width * sizeof (cl_uint), cache_line);
    const ScratchArgument scratch{label.with ("columns"), each * spec.jobs};
    runner.launch (
        spec, task, patch, mean_arguments (format, settings, range, {band, scratch, cl_int (each), cl_int (sums_at)}));
  }
}

/* Sums of rows for all windows of task.region, with `room` samples on either side of each row. */
struct RowSums {
  ::cl::Buffer buffer;
  cl_int at, stride;
};

RowSums
sum_rows (Runner &runner, const PlaneTask &task, int radius, int room, const ScratchName &label)
{
  /* as in kernels/threshold/mean.cl */
  constexpr int group_items = 256, block_pixels = 512;
  static constexpr const char *vectors[] = {"uint", "uint2", "uint4", "uint4"};
  const int samples = task.src.layout->samples_per_pixel;
  const size_t size = runner.format ().depth == 8 ? sizeof (cl_ushort) : sizeof (cl_uint);
  const int rows = task.region.height + 2 * radius, stride = task.region.width * samples + 2 * room;
  const RowSums sums{runner.memory.buffer (label.with ("rows"), size * rows * stride), room, stride};
  const KernelSpec spec{.sources = {"shared/scan.clh", "threshold/mean.cl"},
      .function = "row_sums",
      .options = {{"SUMS", 1}, {"GROUP", group_items}, {"SCANNED", vectors[samples - 1]}}};
  const size_t blocks = divide_up (task.region.width, block_pixels);
  const Rect &r = task.region;
  const cl_int4 region{{r.x * samples, r.y, r.width * samples, r.height}};
  runner.launch_range (spec, task, {{blocks * group_items, size_t (rows)}, {group_items, 1}},
      {task.src.memory, task.src.offset, task.src.stride, sums.buffer, sums.at, sums.stride, region,
          Runner::plane_argument (task), cl_int (radius)});
  return sums;
}

void
mean_on_gpu (
    Runner &runner, const PlaneTask &task, const ThresholdSettings &settings, const BlackWhite &range, const ScratchName &label)
{
  /* rows that an item begins with cost as much as those that it writes */
  constexpr int few_rows = 32, many_rows = 128, item_bytes = 8;
  const int item_samples = item_bytes / runner.format ().sample_size ();
  const RowSums sums = sum_rows (runner, task, settings.radius, 2 * item_samples, label);
  KernelSpec few = mean_spec (runner.format (), settings);
  few.item_samples = item_samples;
  few.item_rows = few_rows;
  few.local_x = 64;
  few.local_y = 1;
  few.tunable.local = true;
  KernelSpec many = few;
  many.item_rows = many_rows;
  const Arguments arguments = mean_arguments (runner.format (), settings, range, {sums.buffer, sums.at, sums.stride});
  Plan plan{{"running-sums", {}, {{few, arguments}}}, {"running-sums", {}, {{many, arguments}}}};
  if (settings.radius > few_rows / 2)
    std::swap (plan[0], plan[1]);
  runner.run (task, plan);
}

/* The part of the plane that windows of the region see. Borders that read from far away need all of it. */
Rect
visible (const PlaneTask &task, int radius)
{
  const PlaneView &plane = task.src;
  if (task.border == Border::wrap)
    return {0, 0, plane.width, plane.height};
  const Rect &r = task.region;
  const int left = std::max (r.x - radius, 0), top = std::max (r.y - radius, 0);
  return {
      left, top, std::min (r.x + r.width + radius, plane.width) - left, std::min (r.y + r.height + radius, plane.height) - top};
}

}  // namespace

ThresholdOutcome
threshold_outcome (ThresholdType type, const BlackWhite &range)
{
  constexpr cl_int all = -1;
  switch (type) {
    case ThresholdType::binary:
      return {{{range.white, 0, range.black, 0}}, 0};
    case ThresholdType::binary_inv:
      return {{{range.black, 0, range.white, 0}}, 0};
    case ThresholdType::trunc:
      return {{{0, 0, 0, all}}, all};
    case ThresholdType::tozero:
      return {{{0, all, range.black, 0}}, 0};
    case ThresholdType::tozero_inv:
      return {{{range.black, 0, 0, all}}, 0};
  }
  return constant_outcome (0);
}

ThresholdOutcome
constant_outcome (int value)
{
  return {{{value, 0, value, 0}}, 0};
}

void
threshold_by_mean (
    Runner &runner, const PlaneTask &task, const ThresholdSettings &settings, const BlackWhite &range, const ScratchName &label)
{
  if (runner.backend () == Backend::cpu)
    mean_on_cpu (runner, task, settings, range, label);
  else
    mean_on_gpu (runner, task, settings, range, label);
}

void
threshold_intensity_by_mean (Runner &runner, const PlaneTask &task, const PlaneView &picture, const ThresholdSettings &settings)
{
  const bool cpu = runner.backend () == Backend::cpu;
  PlaneView like = picture;
  like.layout = &gray_layout;
  PlaneTask gray = task;
  gray.src = runner.scratch_plane ("threshold-gray", like);
  gray.dst = runner.scratch_plane ("threshold-gray-result", like);
  gray.components = 1u << first;

  KernelSpec spec{.sources = {"shared/intensity.clh", "lib/pixel.clh", "threshold/threshold.clh", "threshold/gray.cl"},
      .function = "gray_of"};
  const Rect seen = visible (task, settings.radius);
  const cl_int4 rect{{seen.x, seen.y, seen.width, seen.height}};
  runner.launch_range (spec, task, runner.size_for (seen.width, seen.height, {64, 4}),
      {picture.memory, picture.offset, picture.stride, gray.src.memory, gray.src.stride, rect,
          intensity_weights (*task.src.layout)});

  threshold_by_mean (runner, gray, settings, {0, runner.format ().max_value ()}, "threshold-gray");

  spec.function = "spread_gray";
  const int samples = task.src.layout->samples_per_pixel;
  spec.item_samples = cpu ? 1 : samples == 3 ? 12 : 16 / runner.format ().sample_size ();
  runner.launch (spec, task, Patch::of (task), {gray.dst.memory, gray.dst.stride});
}

}  // namespace gst::cl
