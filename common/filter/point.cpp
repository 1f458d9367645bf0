/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/point.hpp"

#include "filter/copies.hpp"
#include "filter/operation.hpp"

#include <algorithm>
#include <iterator>

namespace gst::cl {

namespace {

/* The first of a pixel's three colours, which stand side by side in any order. */
int
first_color (const PlaneLayout &layout)
{
  return layout.components[0] == alpha || layout.components[0] == padding ? 1 : 0;
}

}  // namespace

int
gpu_point_samples (const Runner &runner, const PlaneTask &task)
{
  const int samples = task.samples_per_pixel (), bytes = runner.format ().sample_size ();
  if (task.src.image || task.dst.image)
    return samples == 4 ? 8 / bytes : 4 / bytes;
  return (samples == 3 ? 48 : 16) / bytes;
}

void
PointSteps::join (KernelSpec &spec, const PlaneTask &task) const
{
  std::vector<const char *> sources{"lib/tile.clh", "lib/point.clh", "lib/pixel.clh"};
  for (const PointStep &step : steps)
    std::ranges::copy_if (step.sources, std::back_inserter (sources),
        [&] (const char *each) { return std::ranges::find (sources, std::string_view (each)) == sources.end (); });
  sources.push_back ("lib/steps.clh");
  spec.sources.insert (spec.sources.begin (), sources.begin (), sources.end ());
  spec.options += options (task);
}

Options
PointSteps::options (const PlaneTask &task) const
{
  const PlaneLayout &layout = *task.src.layout;
  Options options{{"POINTS", 1}, {"FILTERED", samples_of (layout, task.components)}};
  if (layout.samples_per_pixel >= 3)
    options.emplace_back ("COLOR_AT", first_color (layout));
  /* equal samples are their intensity: what is not filtered is not known to be equal */
  constexpr unsigned colors = 7;
  bool gray = false;
  for (size_t i = 0; i < steps.size (); i++) {
    options.emplace_back ("STEP_", int (i), gray ? steps[i].kind_of_gray : steps[i].kind);
    if (steps[i].gray != PointStep::Gray::kept)
      gray = steps[i].gray == PointStep::Gray::made && (task.components & colors) == colors;
  }
  return options;
}

Arguments
PointSteps::arguments () const
{
  Arguments all;
  for (const PointStep &step : steps)
    all.insert (all.end (), step.arguments.begin (), step.arguments.end ());
  return all;
}

KernelSpec
point_spec (const Runner &runner, const PlaneTask &task, const PointSteps &steps)
{
  /* a work item of the cpu back end writes a row */
  const bool gpu = runner.backend () == Backend::gpu;
  KernelSpec spec{
      .sources = {"lib/steps.cl"}, .function = "run_points", .item_samples = gpu ? gpu_point_samples (runner, task) : 1};
  steps.join (spec, task);
  return spec;
}

void
PointOperation::run (Runner &runner, const PlaneTask &task)
{
  std::optional<PointStep> step = point_step (runner, task);
  if (!step)
    return copy_samples (runner, task, task.region);
  PointSteps alone;
  alone.steps.push_back (std::move (*step));
  runner.run (task, {{"point", {}, {{point_spec (runner, task, alone), alone.arguments ()}}}});
}

}  // namespace gst::cl
