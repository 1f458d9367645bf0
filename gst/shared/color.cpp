/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/color.hpp"
#include "filter/runner.hpp"

#include <algorithm>

namespace gst::cl {

Argument
ColorSpaces::space (const GstVideoInfo &of) const
{
  const auto [black, white] = black_and_white (of, *format, Range::automatic);
  const YuvColors colors = yuv_colors (of, *format, Range::automatic);
  const double reach = white - black, green = 1 - colors.red - colors.blue;
  const double chroma_scale = format->model == ColorModel::yuv ? colors.chroma_scale : 1;
  std::vector<float> numbers;
  for (const double v : {double (black), reach, 1 / reach, double (format->neutral_chroma ()), chroma_scale, 1 / chroma_scale,
           colors.red, green, colors.blue, 0.5 / (1 - colors.blue), 0.5 / (1 - colors.red)})
    numbers.push_back (float (v));
  return ValueArgument (numbers);
}

Arguments
ColorSpaces::arguments (const PlaneLayout &layout, const Arguments &more) const
{
  return Arguments{cl_int (ColorOrder::of (layout).reversed), space (video), space (result)} + more;
}

void
ColorFilter::prepare (Runner &runner, const FrameTask &frame)
{
  if (runner.format ().model == ColorModel::yuv)
    planes.prepare (runner, frame);
}

Plan
ColorFilter::plan (Runner &runner, const PlaneTask &task)
{
  if (runner.format ().model != ColorModel::yuv)
    return Filter::plan (runner, task);
  return {"", planes.launch (runner, task, *point_step (runner, task))};
}

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
