/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/point.hpp"

#include "filter/copies.hpp"
#include "filter/operation.hpp"

#include <algorithm>
#include <iterator>

namespace gst::cl {

ColorOrder
ColorOrder::of (const PlaneLayout &layout)
{
  const auto &components = layout.components;
  const int at = components[0] == alpha || components[0] == padding ? 1 : 0;
  const bool green_first = components[at] == second;
  return {at, green_first, components[green_first ? at + 2 : at] == third};
}

int
gpu_point_samples (const Runner &runner, const PlaneTask &task, int bytes)
{
  const int samples = task.samples_per_pixel (), size = runner.format ().sample_size ();
  const bool image = task.src.image || task.dst.image;
  const int most = bytes / size, of_images = (samples == 4 ? 8 : 4) / size,
            of_three = std::min (48 / size, std::max (12, 3 * most));
  return image ? std::max (std::min (most, of_images), samples) : samples == 3 ? of_three : std::max (most, 4);
}

/* loads: includes lib/point.clh. */
void
PointSteps::add_sources (std::vector<const char *> &sources, bool loads) const
{
  std::vector<const char *> all{"lib/pixel.clh"};
  if (loads)
    all.push_back ("lib/point.clh");
  for (const PointStep &step : steps)
    std::ranges::copy_if (step.sources, std::back_inserter (all),
        [&] (const char *each) { return std::ranges::find (all, std::string_view (each)) == all.end (); });
  all.push_back ("lib/steps.clh");
  sources.insert (sources.begin (), all.begin (), all.end ());
}

Options
PointSteps::own_options () const
{
  Options options;
  for (size_t i = 0; i < steps.size (); i++) {
    options += steps[i].shared_options;
    for (Option option : steps[i].options) {
      option.nth = int (i);
      options.push_back (option);
    }
  }
  return options;
}

void
PointSteps::join (KernelSpec &spec, const PlaneTask &task) const
{
  add_sources (spec.sources, true);
  spec.options += Options{{"POINTS", 1}} + options (task) + own_options ();
}

void
PointSteps::join_behind (KernelSpec &spec, const PlaneTask &task) const
{
  add_sources (spec.steps, false);
  spec.options += Options{{"AFTER_POINTS", 1}} + options (task) + own_options ();
  spec.tunable.least_samples = spec.tunable.most_samples = 0;
}

void
PointSteps::join_places (KernelSpec &spec) const
{
  constexpr int all_three = 7;
  add_sources (spec.sources, true);
  spec.options += Options{{"PLACES", 1}, {"FILTERED", all_three}, {"COLOR_AT", 0}, {"GREEN_FIRST", 0}} + own_options ();
  for (size_t i = 0; i < most; i++)
    spec.options.emplace_back ("STEP_", int (i), i < steps.size () ? steps[i].kind : "NONE");
}

/* Requires items of the gpu back end that write whole pixels, or that position their writes themselves. Compiling a long
 * program for each of many pixels takes longer than compiling separate kernels. */
std::optional<KernelSpec>
AfterPoints::join (const Runner &runner, const KernelSpec &spec, const PlaneTask &task)
{
  constexpr int most_times = 8;
  if (!task.after || !spec.takes_steps || task.dst.memory () != task.after->dst ())
    return std::nullopt;
  const int bytes = spec.item_samples * spec.item_rows * runner.format ().sample_size ();
  const bool pixels = spec.item_samples == 1 || spec.item_samples % task.samples_per_pixel () == 0;
  const bool is_short = std::ranges::all_of (
      task.after->steps.steps, [&] (const PointStep &step) { return bytes <= most_times * step.item_bytes; });
  if (runner.backend () == Backend::gpu && !(pixels && is_short))
    return std::nullopt;
  KernelSpec joined = spec;
  task.after->steps.join_behind (joined, task);
  return joined;
}

Options
PointSteps::options (const PlaneTask &task) const
{
  const PlaneLayout &layout = *task.src.layout;
  /* steps that mix colours never change alpha, so planes with and without alpha share a program */
  const bool mix = std::ranges::all_of (steps, [] (const PointStep &step) { return step.gray != PointStep::Gray::kept; });
  const unsigned components = mix ? task.components & ~(1u << alpha) : task.components;
  Options options{{"FILTERED", samples_of (layout, components)}};
  if (layout.samples_per_pixel >= 3) {
    const ColorOrder order = ColorOrder::of (layout);
    options += {{"COLOR_AT", order.at}, {"GREEN_FIRST", order.green_first}};
  }
  /* grey pixels have equal samples; samples that are not filtered may differ from the others */
  constexpr unsigned colors = 7;
  bool gray = false;
  for (size_t i = steps.size (); i < most; i++)
    options.emplace_back ("STEP_", int (i), "NONE");
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
  const int bytes = std::ranges::min (steps.steps, {}, &PointStep::item_bytes).item_bytes;
  KernelSpec spec{.sources = {"lib/steps.cl"},
      .function = "run_points",
      .item_samples = gpu ? gpu_point_samples (runner, task, bytes) : 1,
      .tunable = {.local = gpu}};
  steps.join (spec, task);
  return spec;
}

void
run_point (Runner &runner, const PlaneTask &task, PointStep step)
{
  PointSteps alone;
  alone.steps.push_back (std::move (step));
  KernelSpec spec = point_spec (runner, task, alone);
  /* a row of pixels with three samples would be a program of 1,200 lines */
  const int rows = task.samples_per_pixel () == 3 ? 1 : alone.steps[0].item_rows;
  if (runner.backend () == Backend::gpu && rows > 1 && !task.src.image && !task.dst.image)
    spec.item_rows = rows, spec.tunable = free_on_gpu (true, spec.item_samples, any_rows);
  runner.launch (spec, task, Patch::of (task), alone.arguments ());
}

void
Filter::run (Runner &runner, const PlaneTask &task)
{
  if (std::optional<PointStep> step = point_step (runner, task))
    run_point (runner, task, std::move (*step));
  else
    copy_samples (runner, task, task.region);
}

}  // namespace gst::cl
