/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/color_planes.hpp"

#include "filter/runner.hpp"

#include <algorithm>

namespace gst::cl {

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

void
ColorPlanes::prepare (Runner &runner, const FrameTask &frame)
{
  finish ();
  for (const std::vector<PlaneView> &inputs : frame.planes)
    planes.push_back (in_buffer (runner, inputs[frame.main], {"color", int (planes.size ())}));
}

Launch
ColorPlanes::launch (const Runner &runner, const PlaneTask &task, const PointStep &step) const
{
  const PlaneLayout &layout = *task.src.layout;
  if (layout.components[0] == alpha)
    return copy_launch (runner, task, task.region);
  const ComponentView luma = find_component (planes, first), u = find_component (planes, second),
                      v = find_component (planes, third);
  const PlaneLayout &chroma = *u.view.layout;
  const bool gpu = runner.backend () == Backend::gpu;
  KernelSpec spec{.sources = {"shared/block.clh", "shared/color_planes.cl"},
      .function = "color_plane",
      .options = {{"CHROMA", layout.components[0] != first}, {"LUMA_X", layout.subsample_x}, {"LUMA_Y", layout.subsample_y},
          {"CHROMA_X", chroma.subsample_x - layout.subsample_x}, {"CHROMA_Y", chroma.subsample_y - layout.subsample_y},
          {"CHROMA_STEP", chroma.samples_per_pixel}},
      .item_samples = !gpu ? 1 : std::max (4, step.item_bytes / 2 / runner.format ().sample_size ()),
      .tunable = {.local = true}};
  PointSteps steps;
  steps.steps.push_back (step);
  steps.join_places (spec);
  Arguments arguments{luma.view.memory, luma.offset, luma.view.stride, u.view.memory, u.offset, u.view.stride, v.view.memory,
      v.offset, v.view.stride, cl_int2{{luma.view.width, luma.view.height}}, cl_int (layout.components[0] == third)};
  return {std::move (spec), arguments + step.arguments};
}

}  // namespace gst::cl
