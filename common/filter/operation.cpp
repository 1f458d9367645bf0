/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/operation.hpp"

#include "core/arithmetic.hpp"

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

namespace {

struct Writes {
  bool luma, chroma, other;
};

/* With 8 samples of luma an item of the gpu back end is fastest on an H100; long steps take long to build. */
int
gpu_blocks (const PlaneLayout &chroma, const PointSteps &steps)
{
  constexpr int usual_bytes = 16;
  const bool is_long = std::ranges::any_of (steps.steps, [] (const PointStep &step) { return step.item_bytes < usual_bytes; });
  return std::max (1, (is_long ? 4 : 8) >> (chroma.subsample_x + chroma.subsample_y));
}

/* chroma: the task of a plane with chroma, whose region covers all samples to write; luma_part: of luma. */
Launch
blocks_launch (const Runner &runner, std::span<const PlaneView> src, std::span<const PlaneView> dst, const PlaneTask &chroma,
    const Rect &luma_part, const Writes &writes, const PointSteps &steps)
{
  const PlaneLayout &layout = *chroma.src.layout;
  const bool v_first = layout.components[0] == third;
  const int other_one = v_first ? second : third;
  const ComponentView luma = find_component (src, first), to_luma = find_component (dst, first),
                      other = find_component (src, other_one), to_other = find_component (dst, other_one);
  KernelSpec spec{.sources = {"lib/blocks.cl"},
      .function = "color_blocks",
      .options = {{"STEPS", steps.steps.size ()}, {"BLOCK_X", layout.subsample_x}, {"BLOCK_Y", layout.subsample_y},
          {"WRITES_LUMA", writes.luma}, {"WRITES_CHROMA", writes.chroma}, {"WRITES_OTHER", writes.other}},
      .item_samples = runner.backend () == Backend::gpu ? gpu_blocks (layout, steps) * layout.samples_per_pixel : 1,
      .tunable = {.local = true}};
  steps.join_places (spec);
  const auto &[x, y, width, height] = luma_part;
  Launch launch (std::move (spec),
      Arguments{luma.view.memory, luma.offset, luma.view.stride, other.view.memory, other.offset, other.view.stride,
          to_luma.view.memory, to_other.view.memory,
          cl_int4{{to_luma.offset, to_luma.view.stride, to_other.offset, to_other.view.stride}},
          cl_int2{{luma.view.width, luma.view.height}}, cl_int4{{x, y, x + width, y + height}}, cl_int (v_first)}
          + steps.arguments ());
  return std::move (launch).on (chroma);
}

/* The blocks that have some of these samples of luma. */
Rect
blocks_of (const Rect &luma, const PlaneLayout &chroma)
{
  const int left = luma.x >> chroma.subsample_x, top = luma.y >> chroma.subsample_y;
  return {left, top, divide_up (luma.x + luma.width, 1 << chroma.subsample_x) - left,
      divide_up (luma.y + luma.height, 1 << chroma.subsample_y) - top};
}

}  // namespace

ComponentView
find_component (std::span<const PlaneView> planes, int component)
{
  for (const PlaneView &view : planes) {
    const auto &of = view.layout->components;
    if (const auto found = std::ranges::find (of, component); found != of.end ())
      return {view, view.offset + int (found - of.begin ())};
  }
  return {planes[0], planes[0].offset};
}

Launch
place_launch (const Runner &runner, std::span<const PlaneView> frame, const PlaneTask &task, const PointSteps &step)
{
  const PlaneLayout &layout = *task.src.layout;
  if (layout.components[0] == alpha)
    return copy_launch (runner, task, task.region);
  if (layout.components[0] != first)
    return blocks_launch (runner, frame, frame, task, {}, {.luma = false, .chroma = true, .other = false}, step);
  PlaneTask blocks = task;
  blocks.src = blocks.dst = find_component (frame, second).view;
  blocks.region = blocks_of (task.region, *blocks.src.layout);
  return blocks_launch (
      runner, frame, {&task.dst, 1}, blocks, task.region, {.luma = true, .chroma = false, .other = false}, step);
}

Launches
place_launches (const Runner &runner, std::span<const PlaneView> src, std::span<const PlaneView> dst, const PointSteps &steps)
{
  constexpr unsigned colors = 1 << first | 1 << second | 1 << third;
  Launches launches;
  std::vector<PlaneTask> tasks;
  for (size_t i = 0; i < src.size (); i++) {
    PlaneTask task{.src = src[i],
        .dst = dst[i],
        .plane = int (i),
        .region = {0, 0, dst[i].width, dst[i].height},
        .components = colors,
        .frame = src};
    if (src[i].layout->components[0] == alpha)
      launches.push_back (copy_launch (runner, task, task.region).on (task));
    else
      tasks.push_back (task);
  }
  /* a field may have fewer rows of chroma than blocks */
  const Rect whole = tasks[0].region;
  if (blocks_of (whole, *tasks[1].src.layout) == tasks[1].region) {
    const Writes all{.luma = true, .chroma = true, .other = tasks.size () > 2};
    launches.push_back (blocks_launch (runner, src, dst, tasks[1], whole, all, steps));
    return launches;
  }
  for (const PlaneTask &task : tasks)
    if (task.region.height > 0)
      launches.push_back (place_launch (runner, src, task, steps).on (task));
  return launches;
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
