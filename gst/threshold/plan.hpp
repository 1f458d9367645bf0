/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers and launches for clthreshold. */
#pragma once

#include "core/arithmetic.hpp"
#include "shared/histogram_plan.hpp"
#include "shared/range.hpp"
#include "shared/separable.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl {

enum class ThresholdMethod { fixed, otsu, mean };
enum class ThresholdType { binary, binary_inv, trunc, tozero, tozero_inv };
enum class ThresholdDomain { intensity, per_component };

struct ThresholdSettings {
  double threshold = 0.5;
  ThresholdMethod method = ThresholdMethod::fixed;
  ThresholdType type = ThresholdType::binary;
  ThresholdDomain domain = ThresholdDomain::intensity;
  /** For ThresholdMethod::mean. */
  int radius = 7;
  double offset = 0.02;
  bool navigation = false;
  Range range = Range::automatic;

  bool per_component () const { return domain == ThresholdDomain::per_component; }
};

/** The outcome for a value, as in kernels/threshold/threshold.clh. */
struct ThresholdOutcome {
  cl_int4 values;
  cl_int truncate;
};

/* Returns v, or the adjacent half of an integer if v misses it by rounding: 225 * 0.02 * 255 is 1147.5000000000002. */
inline double
half_or (double v)
{
  constexpr double noise = 1e-12;
  const double half = std::nearbyint (2 * v) / 2;
  return std::abs (v - half) <= noise * std::abs (v) ? half : v;
}

/* The scalars of kernels/threshold/mean.clh, in a type that holds a window's sum times the kernel's factors. */
template <typename Sum> struct MeanNumbers {
  Sum samples, floor_limit, divisor;
  cl_float inverse;
  Sum offset;

  MeanNumbers (const ThresholdSettings &settings, const BlackWhite &range)
      : samples ((2 * settings.radius + 1) * (2 * settings.radius + 1)), divisor (4 * samples),
        inverse (1.0f / cl_float (divisor))
  {
    const double limit = half_or (-double (samples) * settings.offset * (range.white - range.black));
    floor_limit = Sum (std::floor (limit));
    /* for shared/quotient.clh: doubled and rounded down, with a flag for a remainder */
    const double doubled = 2 * limit;
    offset = 2 * Sum (std::floor (doubled)) + (doubled != std::floor (doubled));
  }
};

template <typename Sum>
Arguments
arguments_of (const MeanNumbers<Sum> &n)
{
  return {n.samples, n.floor_limit, n.divisor, n.inverse, n.offset, cl_int (0)};
}

/* The part of the plane that the region's windows read. Some border rules read from far away, and need the whole plane. */
inline Rect
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

/** Every value becomes `value`. */
inline ThresholdOutcome
constant_outcome (int value)
{
  return {{{value, 0, value, 0}}, 0};
}

inline ThresholdOutcome
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

/** Compares each sample with the mean around it, on buffers. `label` distinguishes scratch memory of several calls. */
inline Launches
threshold_by_mean (const Runner &runner, const PlaneTask &task, const ThresholdSettings &settings, const BlackWhite &range,
    const ScratchName &label)
{
  /* At 8 and 10 bits, four times a window's sum fits into 32 bits. */
  const bool fits_int = runner.format ().depth <= 10;
  Arguments arguments =
      fits_int ? arguments_of (MeanNumbers<cl_int> (settings, range)) : arguments_of (MeanNumbers<cl_long> (settings, range));
  const ThresholdOutcome outcome = threshold_outcome (settings.type, range);
  arguments.insert (arguments.end (), {outcome.values, outcome.truncate});
  return box_launches (runner, task,
      {settings.radius, {"shared/quotient.clh", "threshold/threshold.clh", "threshold/mean.clh"},
          {{fits_int ? "SUM_INT" : "SUM_LONG", 1}, {"TRUNCATE", settings.type == ThresholdType::trunc}}, arguments},
      label.with ("sums"));
}

/** The same for the intensity of a plane of RGB, which is written to task.components. Windows read `picture`, which differs
 *  from task.src if alpha was filtered before. */
inline Launches
threshold_intensity_by_mean (Runner &runner, const PlaneTask &task, const PlaneView &picture, const ThresholdSettings &settings)
{
  const bool cpu = runner.backend () == Backend::cpu;
  PlaneView like = picture;
  like.layout = &one_sample;
  PlaneTask gray = task;
  gray.src = runner.scratch_plane ("threshold-gray", like);
  gray.dst = runner.scratch_plane ("threshold-gray-result", like);
  gray.components = 1u << first;

  KernelSpec spec{.sources = {"lib/pixel.clh", "shared/intensity.clh", "threshold/gray.cl"},
      .function = "gray_of",
      .options = {{"ROWS_AT_ONCE", 1}}};
  const Rect seen = visible (task, settings.radius);
  const cl_int4 rect{{seen.x, seen.y, seen.width, seen.height}};
  Launches launches{Launch::range (spec, runner.size_for (seen.width, seen.height, {64, 4}),
      {picture.memory, picture.offset, picture.stride, gray.src.memory, gray.src.stride, rect,
          intensity_weights (*task.src.layout)})
                        .on (task)};
  for (const Launch &each : threshold_by_mean (runner, gray, settings, {0, runner.format ().max_value ()}, "threshold-gray"))
    launches.push_back (each.task ? each : each.on (gray));

  spec.function = "spread_gray";
  const int samples = task.src.layout->samples_per_pixel;
  spec.item_samples = cpu ? 1 : samples == 3 ? 12 : 16 / runner.format ().sample_size ();
  launches.push_back (Launch (spec, {gray.dst.memory, gray.dst.stride}).on (task));
  return launches;
}

}  // namespace gst::cl
