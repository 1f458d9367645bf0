/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/operation.hpp"

#include <algorithm>

namespace gst::cl {

int
gpu_point_samples (const Runner &runner, const PlaneTask &task, int bytes)
{
  const int samples = task.samples_per_pixel (), size = runner.format ().sample_size ();
  const bool image = task.src.image || task.dst.image;
  const int most = bytes / size, of_images = (samples == 4 ? 8 : 4) / size,
            of_three = std::min (48 / size, std::max (12, 3 * most));
  return image ? std::max (std::min (most, of_images), samples) : samples == 3 ? of_three : std::max (most, 4);
}

static KernelSpec
point_spec (const Runner &runner, const PlaneTask &task, const PointSteps &steps)
{
  /* a work item of the cpu back end writes a row */
  const bool gpu = runner.backend () == Backend::gpu;
  const int bytes = std::ranges::min (steps.steps, {}, &PointStep::item_bytes).item_bytes;
  KernelSpec spec{.sources = {"lib/steps.cl"},
      .function = "run_points",
      .item_samples = gpu ? gpu_point_samples (runner, task, bytes) : 1,
      .tunable = {.local = gpu}};
  steps.join (spec, task);
  return spec;
}

Launch
point_launch (Runner &runner, const PlaneTask &task, const PointSteps &steps)
{
  KernelSpec spec = point_spec (runner, task, steps);
  /* a row of pixels with three samples would be a program of 1,200 lines */
  const int rows = task.samples_per_pixel () == 3 || steps.steps.size () > 1 ? 1 : steps.steps[0].item_rows;
  if (runner.backend () == Backend::gpu && rows > 1 && !task.src.image && !task.dst.image)
    spec.item_rows = rows, spec.tunable = free_on_gpu (true, spec.item_samples, any_rows);
  return {std::move (spec), steps.arguments ()};
}

Plan
Filter::plan (Runner &runner, const PlaneTask &task)
{
  const std::optional<PointStep> step = point_step (runner, task);
  return step ? Plan{"", point_launch (runner, task, {{*step}})} : Plan{};
}

void
Filter::run (Runner &runner, const PlaneTask &task)
{
  const Plan ways = plan (runner, task);
  if (ways.empty ())
    return copy_samples (runner, task, task.region);
  const Algorithm &chosen = runner.choose (task, ways);
  if (*chosen.name)
    algorithm = chosen.name;
  runner.run (task, chosen.launches);
}

void
Converter::convert (Runner &runner, const ConvertTask &task)
{
  runner.run ({.src = task.src[0], .dst = task.dst[0], .plane = 0, .components = 0}, plan (runner, task));
}

}  // namespace gst::cl
