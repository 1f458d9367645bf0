/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/color_function.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* Whole pixels in whole words; a pixel of an image, whose neighbours belong to neighbouring items. */
int
item_samples (const Runner &runner, const PlaneTask &task, int bytes)
{
  constexpr int least = 4, of_three = 12;
  if (runner.backend () == Backend::cpu)
    return 1;
  if (task.samples_per_pixel () == 3)
    return of_three;
  return task.src.image || task.dst.image ? least : std::max (least, bytes / runner.format ().sample_size ());
}

}  // namespace

void
ColorFunction::begin_frame (const ConvertTask &task)
{
  video = task.src_info, result = task.dst_info, format = &task.src_format;
  planes.begin (task.src);
}

void
ColorFunction::prepare (Runner &runner, const FrameTask &frame)
{
  if (format->model == ColorModel::yuv)
    planes.prepare (runner, frame);
}

Argument
ColorFunction::space (const GstVideoInfo &of) const
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

void
ColorFunction::run_plane (Runner &runner, const PlaneTask &task, ColorKernel kernel) const
{
  kernel.sources.insert (kernel.sources.begin (), "shared/color_sample.clh");
  kernel.options += {{"COMPONENT", task.src.layout->components[0]}};
  planes.run (runner, task, kernel);
}

void
ColorFunction::run (Runner &runner, const PlaneTask &task, ColorKernel function) const
{
  const PlaneLayout &layout = *task.src.layout;
  function.sources.push_back ("shared/color_function.clh");
  function.arguments.insert (function.arguments.begin (), {source_space (), result_space ()});
  if (format->model == ColorModel::yuv)
    return run_plane (runner, task, std::move (function));
  function.sources.insert (function.sources.begin (), "shared/color_sample.clh");
  function.options += {{"COMPONENT", 0}};
  const auto position = [&] (Component c) {
    return cl_int (std::ranges::find (layout.components, c) - layout.components.begin ());
  };
  function.arguments.insert (function.arguments.begin (), cl_int4{{position (first), position (second), position (third), 0}});
  KernelSpec spec{.sources = function.sources,
      .function = "color_function",
      .options = function.options,
      .item_samples = item_samples (runner, task, function.item_bytes),
      .tunable = {.local = true}};
  spec.sources.insert (spec.sources.begin (), "lib/point.clh");
  spec.sources.insert (spec.sources.end (), {"lib/pixel.clh", "shared/color_function.cl"});
  runner.launch (spec, task, Patch::of (task), function.arguments);
}

}  // namespace gst::cl
