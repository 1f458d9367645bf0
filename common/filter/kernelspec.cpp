/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/kernelspec.hpp"

#include "core/vendors.hpp"

#include <algorithm>
#include <iterator>

namespace gst::cl {

namespace {

/* Whether the runner chooses the group size, and not the specification. */
bool
has_free_groups (const KernelSpec &spec)
{
  return spec.tunable.local && !spec.jobs;
}

}  // namespace

Axes
axes_of (const Device &device, const KernelSpec &spec, bool cpu, bool images)
{
  Axes axes;
  const Shape shipped = cpu ? Shape () : shipped_shape (device, spec);
  const std::pair usual =
      shipped.local_x ? std::pair (shipped.local_x, shipped.local_y) : std::pair (spec.local_x, spec.local_y);
  const int most = int (std::min<size_t> (device.max_work_group_size, 512));
  /* whole wavefronts of 32; groups for wavefronts of 64 are larger */
  constexpr int least = 32;
  if (!cpu && has_free_groups (spec))
    for (int items = 128; int x : {32, 64, 16, 128, 8, 256})
      for (int y : {items / x, 1, 2, 4, 8, 16})
        if (y && x * y >= least && x * y <= most && std::pair (x, y) != usual
            && std::ranges::find (axes.locals, std::pair (x, y)) == axes.locals.end ())
          axes.locals.emplace_back (x, y);
  const Tunable &tunable = spec.tunable;
  for (int rows : tunable.rows)
    if (rows != spec.item_rows)
      axes.rows.push_back (rows);
  if (tunable.least_samples && !cpu && !images)
    for (int n = tunable.least_samples; n <= tunable.most_samples; n *= 2)
      if (n != spec.item_samples)
        axes.samples.push_back (n);
  return axes;
}

Shape
shipped_shape (const Device &device, const KernelSpec &spec)
{
  const bool gpu = device.type & CL_DEVICE_TYPE_GPU;
  if (!gpu || !has_free_groups (spec))
    return {};
  const auto [x, y] = vendors::group_of (device);
  return size_t (x) * y <= device.max_work_group_size ? Shape{.local_x = x, .local_y = y} : Shape{};
}

Argument::Argument (const ::cl::Memory &memory_) : kind (Kind::memory), memory (memory_) {}
Argument::Argument (Kind kind_, const ScratchName &name_, size_t bytes_, Content content_)
    : bytes (bytes_), name (name_), kind (kind_), content (std::move (content_))
{
}
Argument::Argument (const Argument &) = default;
Argument::Argument (Argument &&) noexcept = default;
Argument &Argument::operator= (const Argument &) = default;
Argument &Argument::operator= (Argument &&) noexcept = default;
Argument::~Argument () = default;

ColorOrder
ColorOrder::of (const PlaneLayout &layout)
{
  const auto &components = layout.components;
  const int at = components[0] == alpha || components[0] == padding ? 1 : 0;
  const bool green_first = components[at] == second;
  return {at, green_first, components[green_first ? at + 2 : at] == third};
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
  spec.any_pixel = spec.joins_chroma = false; /* steps have an array of a pixel */
  add_sources (spec.sources, true);
  spec.options += Options{{"POINTS", 1}} + options (task) + own_options ();
}

void
PointSteps::join_behind (KernelSpec &spec, const PlaneTask &task) const
{
  spec.any_pixel = spec.joins_chroma = false;
  add_sources (spec.steps, false);
  spec.options += Options{{"AFTER_POINTS", 1}} + options (task) + own_options ();
  spec.tunable.least_samples = spec.tunable.most_samples = 0;
}

void
PointSteps::join_places (KernelSpec &spec) const
{
  constexpr int all_three = 7;
  add_sources (spec.sources, true);
  spec.options += Options{{"PLACES", 1}, {"FILTERED", all_three}, {"COLOR_AT", 0}, {"GREEN_FIRST", 0},
                      {"MIXES", std::ranges::any_of (steps, &PointStep::mixes)}}
                  + own_options ();
  for (size_t i = 0; i < most; i++)
    spec.options.emplace_back ("STEP_", int (i), i < steps.size () ? steps[i].kind : "NONE");
}

/* Requires items of the gpu back end that write whole pixels, or that position their writes themselves. Compiling a long
 * program for each of many pixels takes longer than compiling separate kernels. */
std::optional<KernelSpec>
AfterPoints::join (const Format &format, Backend backend, const KernelSpec &spec, const PlaneTask &task)
{
  constexpr int most_times = 8;
  if (!task.after || !spec.takes_steps || task.dst.memory () != task.after->dst ())
    return std::nullopt;
  const int bytes = spec.item_samples * spec.item_rows * format.sample_size ();
  const bool pixels = spec.item_samples == 1 || spec.item_samples % task.samples_per_pixel () == 0;
  const bool is_short = std::ranges::all_of (
      task.after->steps.steps, [&] (const PointStep &step) { return bytes <= most_times * step.item_bytes; });
  if (backend == Backend::gpu && !(pixels && is_short))
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

}  // namespace gst::cl
