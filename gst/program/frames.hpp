/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frames of clprogram as its kernels see them: pixels at full resolution or planes, of the current frame and earlier
 * ones. */
#pragma once

#include "program/build.hpp"

#include <functional>
#include <map>

namespace gst::cl {

/** The structure gstcl_frame_t of program/program.clh. */
struct ProgramFrameArgument {
  cl_int region_x, region_y, region_width, region_height;
  cl_int width, height;
  cl_int border, border_sample;
  cl_int stride, out_stride;
  cl_int samples, order;
  cl_int components;
  cl_int aligned;
  cl_uint frame_number;
  cl_float time, frame_rate;
  cl_int frames_before;
  cl_int in[9], out[9], other[8];
  cl_int range_x, range_y;
  cl_int pass_width, pass_height;
  cl_int sample;
  cl_float outside;
};

/** Whether a sample of a pixel belongs to a filtered component; order: see ProgramFrameArgument. */
inline bool
is_filtered (cl_int order, int sample, unsigned components)
{
  const unsigned component = cl_uint (order) >> (8 * sample) & 0xff;
  return component < 4 && (components >> component & 1);
}

class ProgramFrames {
public:
  void begin (const FrameInfo &info);
  /** Like the functions of Operation. */
  void prepare (Runner &runner, BuiltProgram &program, const FrameTask &task);
  void run (Runner &runner, BuiltProgram &program, const PlaneTask &task);
  void end ();

  /** Runs the kernel of a program without groups on an empty range, so that the driver compiles it. scrap is memory for its
   *  arguments. */
  static ::cl::Event warm_up (const BuiltProgram &program, const ::cl::CommandQueue &queue, const ::cl::Buffer &scrap);

private:
  /** The memory of a launch. */
  struct Memories {
    ::cl::Memory in, others, was, out;
  };

  /** Copies of the frames of one field, or of one of its planes, on the device. A slot holds one frame. */
  struct Store {
    int width = 0, height = 0, samples = 0, stride = 0;
    int history = -1;
    size_t inputs = 0;
    int slot = 0;
    /** The main input and the results, history + 1 frames each; the other inputs, one frame each. */
    ::cl::Buffer in, out, others;
    /** The number of frames so far, and of the latest frames without a gap. */
    guint64 frames = 0, known = 0;
    /** Whether it holds the current frame. */
    bool used = false;

    int offset (int age) const { return int ((frames + history + 1 - age) % (history + 1)) * slot; }
  };

  static void keep_frames (Runner &runner, const Store &from, Store &to);
  Store &store_for (Runner &runner, const BuiltProgram &program, int field, int plane, const PlaneView &like, int samples);
  PlaneView slot_view (const Store &store, const ::cl::Buffer &memory, int offset, const PlaneView &like) const;
  void prepare_pixels (Runner &runner, BuiltProgram &program, const FrameTask &task);
  void prepare_planes (Runner &runner, const BuiltProgram &program, const FrameTask &task);
  void run_component (Runner &runner, BuiltProgram &program, const PlaneTask &task);
  /** task: a FrameTask or a PlaneTask. */
  template <typename Task>
  ProgramFrameArgument argument_for (const Store *store, const Rect &region, const PlaneView &plane, const Task &task) const;
  static void set_arguments (const BuiltProgram &program, const BuiltKernel &kernel, const ProgramFrameArgument &frame,
      const Memories &memories, const std::function<::cl::Memory (size_t)> &scratch);
  void launch (Runner &runner, const BuiltProgram &program, const ProgramFrameArgument &frame, const Memories &memories);
  void launch_passes (Runner &runner, const BuiltProgram &program, const ProgramFrameArgument &frame, const Memories &memories);

  /** Key: the field and the plane; -1 for whole pixels. */
  std::map<std::pair<int, int>, Store> stores;
  std::optional<guint64> last_input;
  cl_uint frame_number = 0;
  cl_float time = 0, frame_rate = 0;
};

}  // namespace gst::cl
