/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/color.hpp"

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
  if (runner.format ().model != ColorModel::yuv)
    return;
  planes.clear ();
  for (const std::vector<PlaneView> &inputs : frame.planes)
    planes.push_back (in_buffer (runner, inputs[frame.main], {"color", int (planes.size ())}));
}

Plan
ColorFilter::plan (Runner &runner, const PlaneTask &task)
{
  if (runner.format ().model != ColorModel::yuv)
    return Filter::plan (runner, task);
  return {"", place_launch (runner, planes, task, {{*point_step (runner, task)}})};
}

}  // namespace gst::cl
