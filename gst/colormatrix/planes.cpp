/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "colormatrix/planes.hpp"

#include "filter/copies.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

Argument
factors (const ColorPlan &plan, int row)
{
  const auto &[x, y, z, w] = plan.rows[row];
  if (plan.fixed_point)
    return cl_long4{{cl_long (x), cl_long (y), cl_long (z), cl_long (w)}};
  return cl_float4{{cl_float (x), cl_float (y), cl_float (z), cl_float (w)}};
}

}  // namespace

void
ColorMatrixPlanes::prepare (Runner &runner, const FrameTask &frame)
{
  finish ();
  for (const std::vector<PlaneView> &inputs : frame.planes)
    planes.push_back (in_buffer (runner, inputs[frame.main], "matrix-" + std::to_string (planes.size ())));
}

ColorMatrixPlanes::Input
ColorMatrixPlanes::input (int component) const
{
  for (const PlaneView &view : planes) {
    const auto &of = view.layout->components;
    if (const auto found = std::ranges::find (of, component); found != of.end ())
      return {view, view.offset + int (found - of.begin ())};
  }
  return {planes[0], planes[0].offset};
}

void
ColorMatrixPlanes::run (Runner &runner, const PlaneTask &task, const ColorPlan &plan) const
{
  constexpr int gpu_item_bytes = 16;
  const PlaneLayout &layout = *task.src.layout;
  if (layout.components[0] == alpha)
    return copy_samples (runner, task, task.region);
  const Input luma = input (first), u = input (second), v = input (third);
  const PlaneLayout &chroma = *u.view.layout;
  const cl_int4 places{{layout.subsample_x, layout.subsample_y, chroma.subsample_x - layout.subsample_x,
      chroma.subsample_y - layout.subsample_y}};
  const KernelSpec spec{.sources = {"colormatrix/matrix.clh", "colormatrix/planes.cl"},
      .function = "color_matrix_plane",
      .options = plan.fixed_point ? "-DFIXED_POINT=1" : "",
      .item_samples = runner.backend () == Backend::cpu ? 1 : gpu_item_bytes / runner.format ().sample_size (),
      .tunable = {.local = true}};
  const int last = layout.samples_per_pixel - 1;
  runner.launch (spec, task, Patch::of (task),
      {luma.view.memory, luma.offset, luma.view.stride, u.view.memory, u.offset, u.view.stride, v.view.memory, v.offset,
          v.view.stride, cl_int (chroma.samples_per_pixel), places, cl_int2{{luma.view.width, luma.view.height}},
          factors (plan, layout.components[0]), factors (plan, layout.components[last]), cl_float (plan.divisor),
          cl_float (1 / plan.divisor)});
}

}  // namespace gst::cl
