/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters that are a function of a pixel's R'G'B', on every format. */
#pragma once

#include "shared/color_planes.hpp"
#include "shared/range.hpp"

namespace gst::cl {

class ColorFunction {
public:
  /** Once a frame, before prepare(). */
  void begin_frame (const Runner &runner, const FrameInfo &info) { video = result = info.video, format = &runner.format (); }
  /** The same of a frame that gets another colorimetry, and of its planes, in place of prepare(). */
  void begin_frame (const ConvertTask &task);
  void prepare (Runner &runner, const FrameTask &frame);
  /** Enqueues what writes task.region. function: sources that define FUNCTION and FUNCTION_PARAM (kernels/shared/color_function.clh),
   *  their options and arguments. */
  void run (Runner &runner, const PlaneTask &task, ColorKernel function) const;
  void finish () { planes.finish (); }
  /** Enqueues a plane of YUV by a kernel for kernels/shared/color_planes.cl itself, behind color_sample.clh. */
  void run_plane (Runner &runner, const PlaneTask &task, ColorKernel kernel) const;

  /** Of the current frame. */
  BlackWhite range () const { return black_and_white (video, *format, Range::automatic); }
  YuvColors colors () const { return yuv_colors (video, *format, Range::automatic); }

  /** struct color_space of the kernels, of the frame that comes in or of the result. */
  Argument source_space () const { return space (video); }
  Argument result_space () const { return space (result); }

private:
  Argument space (const GstVideoInfo &of) const;

  GstVideoInfo video, result;
  const Format *format = nullptr;
  ColorPlanes planes;
};

}  // namespace gst::cl
