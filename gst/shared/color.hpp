/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters that change each pixel's colour independently, in every format, as steps (kernels/lib/steps.clh). */
#pragma once

#include "filter/operation.hpp"
#include "shared/range.hpp"

namespace gst::cl {

/** The relation of the current frame's samples to R'G'B'. */
class ColorSpaces {
public:
  void begin_frame (const Runner &runner, const FrameInfo &info) { video = result = info.video, format = &runner.format (); }
  /** Begins a frame whose result has another colorimetry. */
  void begin_frame (const ConvertTask &task) { video = task.src_info, result = task.dst_info, format = &task.src_format; }

  YuvColors colors () const { return yuv_colors (video, *format, Range::automatic); }
  BlackWhite range () const { return black_and_white (video, *format, Range::automatic); }
  /** ARGS_COLOR of kernels/shared/color.clh, followed by `more`. */
  Arguments arguments (const PlaneLayout &layout, const Arguments &more) const
  {
    return Arguments{cl_int (ColorOrder::of (layout).reversed), space (video), space (result)} + more;
  }

  /** struct color_space of kernels/shared/color.clh. */
  Argument source () const { return space (video); }

private:
  Argument space (const GstVideoInfo &of) const
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

  GstVideoInfo video, result;
  const Format *format = nullptr;
};

/** A filter of one step, on pixels of RGB and grey, and on luma with its chroma in YUV. */
class ColorFilter : public Filter {
public:
  void begin_frame (Runner &runner, const FrameInfo &info) override { spaces.begin_frame (runner, info); }
  void prepare (Runner &runner, const FrameTask &frame) override
  {
    if (runner.format ().model != ColorModel::yuv)
      return;
    planes.clear ();
    for (const std::vector<PlaneView> &inputs : frame.planes)
      planes.push_back (in_buffer (runner, inputs[frame.main], {"color", int (planes.size ())}));
  }

  void end_frame (Runner &) override { planes.clear (); }
  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    if (runner.format ().model != ColorModel::yuv)
      return Filter::plan (runner, task);
    return {"", place_launch (runner, planes, task, {{*point_step (runner, task)}})};
  }

  Abilities abilities (const Runner &runner) const override
  {
    const bool is_yuv = runner.format ().model == ColorModel::yuv;
    return {.points = is_yuv ? 0 : Abilities::every_component, .places = is_yuv};
  }

protected:
  ColorSpaces spaces;

private:
  /** Of the frame at hand, in buffers. */
  std::vector<PlaneView> planes;
};

}  // namespace gst::cl
