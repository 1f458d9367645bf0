/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "blend/chroma.hpp"

#include "filter/patches.hpp"

namespace gst::cl {

namespace {

KernelSpec
chroma_spec (BlendMode mode, const PlaneLayout &layout, bool first, bool last)
{
  return {.sources = {"blend/chroma.cl"},
      .function = "blend_chroma",
      .options = {{"MULTIPLY", mode == BlendMode::multiply}, {"FIRST", first}, {"LAST", last},
          {"SUBSAMPLE_X", layout.subsample_x}, {"SUBSAMPLE_Y", layout.subsample_y}}};
}

cl_float4
numbers_of (BlendMode mode, const Format &format, const BlackWhite &range)
{
  if (mode == BlendMode::multiply)
    return {{cl_float (range.black), 1.0f / cl_float (range.white - range.black), cl_float (format.neutral_chroma ()), 0}};
  return {{mode == BlendMode::lighten ? 1.0f : -1.0f, 0, 0, 0}};
}

}  // namespace

std::vector<size_t>
fold_order (size_t n, size_t main)
{
  std::vector<size_t> order{main};
  for (size_t i = 0; i < n; i++)
    if (i != main)
      order.push_back (i);
  return order;
}

void
blend_chroma (Runner &runner, const PlaneTask &task, std::span<const PlaneView> lumas, BlendMode mode, const BlackWhite &range)
{
  /* one frame is itself, for whose luma each product is one */
  std::vector<size_t> order = fold_order (task.inputs.size (), task.main);
  const bool alone = order.size () == 1;
  if (alone)
    order.push_back (task.main);
  const BlendMode folded = alone ? BlendMode::lighten : mode;
  const int width = task.src.width * task.samples_per_pixel ();
  const ::cl::Buffer &state = runner.memory.buffer ("chroma-state", sizeof (cl_float) * width * task.src.height);
  const PlaneView &src_luma = lumas[task.main];
  for (size_t i = 1; i < order.size (); i++) {
    const PlaneView &other = task.inputs[order[i]], &luma = lumas[order[i]];
    const KernelSpec spec = chroma_spec (folded, *task.src.layout, i == 1, i + 1 == order.size ());
    for (const Patch &patch : patches_of (runner, task, {}, spec))
      runner.launch (spec, task, patch,
          {other.memory, other.offset, other.stride, src_luma.memory, src_luma.offset, src_luma.stride, luma.memory,
              luma.offset, luma.stride, cl_int2{{luma.width, luma.height}}, state, cl_int (width),
              numbers_of (folded, runner.format (), range)});
  }
}

}  // namespace gst::cl
