/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs the kernels of clprogram on a frame: one kernel, or passes with pictures between them. */
#include "program/frames.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* The size of a scratch picture for a frame. */
cl_int2
size_of (const ScratchPicture &picture, const ProgramFrameArgument &frame)
{
  return {{picture.extent (frame.width), picture.extent (frame.height)}};
}

size_t
bytes_of (const ScratchPicture &picture, const ProgramFrameArgument &frame)
{
  const cl_int2 size = size_of (picture, frame);
  const guint64 pixels = guint64 (size.s[0]) * guint64 (size.s[1]);
  if (pixels > G_MAXINT)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "Kernels cannot reach the picture " + picture.name + " of " + std::to_string (size.s[0]) + "x"
            + std::to_string (size.s[1]) + " pixels; the limit is 2147483647. Reduce its scale.",
        "scale=" + std::to_string (picture.scale));
  return size_t (pixels) * picture.bytes;
}

}  // namespace

void
ProgramFrames::set_arguments (const BuiltProgram &program, const BuiltKernel &built, const ProgramFrameArgument &frame,
    const Memories &memories, const std::function<::cl::Memory (size_t)> &scratch)
{
  ::cl::Kernel kernel = built.kernel;
  cl_uint index = 0;
  kernel.setArg (index++, memories.in);
  kernel.setArg (index++, memories.others);
  kernel.setArg (index++, memories.was);
  kernel.setArg (index++, memories.out);
  kernel.setArg (index++, sizeof frame, &frame);
  for (size_t i = 0; i < program.scratch.size (); i++) {
    kernel.setArg (index++, scratch (i));
    kernel.setArg (index++, size_of (program.scratch[i], frame));
  }
  for (const OwnArgument &own : built.own)
    if (own.local_bytes > 0)
      kernel.setArg (index++, own.local_bytes, nullptr);
    else
      kernel.setArg (index++, program.values[own.number].size (), program.values[own.number].data ());
}

::cl::Event
ProgramFrames::warm_up (const BuiltProgram &program, const ::cl::CommandQueue &queue, const ::cl::Buffer &scrap)
{
  const BuiltKernel &kernel = program.kernels[0];
  set_arguments (program, kernel, {.samples = 1}, {scrap, scrap, scrap, scrap}, nullptr);
  const ::cl::NDRange group (kernel.local[0], kernel.local[1]);
  ::cl::Event done;
  queue.enqueueNDRangeKernel (kernel.kernel, ::cl::NullRange, group, group, nullptr, &done);
  queue.flush ();
  return done;
}

void
ProgramFrames::launch (Runner &runner, const BuiltProgram &program, const ProgramFrameArgument &frame, const Memories &memories)
{
  if (!program.has_groups) {
    const BuiltKernel &kernel = program.kernels[0];
    const size_t items = size_t (frame.region_width) * (program.sees_pixels ? 1 : frame.samples);
    set_arguments (program, kernel, frame, memories, nullptr);
    runner.commands.run (
        kernel.kernel, {{round_up (items, kernel.local[0]), round_up (frame.region_height, kernel.local[1])}, kernel.local});
    return;
  }
  for (int sample = 0; sample < (program.sees_pixels ? 1 : frame.samples); sample++)
    if (program.sees_pixels || is_filtered (frame.order, sample, unsigned (frame.components))) {
      ProgramFrameArgument of_sample = frame;
      of_sample.sample = sample;
      of_sample.outside = program.sees_pixels ? cl_float (frame.border_sample) / cl_float (runner.format ().max_value ())
                                              : cl_float (frame.border_sample);
      launch_passes (runner, program, of_sample, memories);
    }
}

/* Pictures between passes are whole, because later passes read beyond the region. */
void
ProgramFrames::launch_passes (
    Runner &runner, const BuiltProgram &program, const ProgramFrameArgument &frame, const Memories &memories)
{
  const auto scratch = [&] (size_t i) -> ::cl::Memory {
    return runner.memory.buffer ({"program-scratch", int (i)}, bytes_of (program.scratch[i], frame));
  };
  for (const BuiltKernel &kernel : program.kernels) {
    ProgramFrameArgument of_pass = frame;
    Rect range{frame.region_x, frame.region_y, frame.region_width, frame.region_height};
    const ScratchPicture size{.scale = kernel.scale};
    of_pass.pass_width = size.extent (frame.width);
    of_pass.pass_height = size.extent (frame.height);
    if (kernel.writes_scratch)
      range = {0, 0, of_pass.pass_width, of_pass.pass_height};
    if (kernel.writes_scratch_only)
      of_pass.region_width = of_pass.region_height = 0;
    of_pass.range_x = range.x;
    of_pass.range_y = range.y;
    set_arguments (program, kernel, of_pass, memories, scratch);
    runner.commands.run (
        kernel.kernel, {{round_up (range.width, kernel.local[0]), round_up (range.height, kernel.local[1])}, kernel.local});
  }
}

}  // namespace gst::cl
