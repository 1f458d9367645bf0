/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/copies.hpp"

#include <cmath>
#include <cstring>

namespace gst::cl {

void
copy_samples (Runner &runner, const PlaneTask &task, const Rect &rect)
{
  constexpr int gpu_item_samples = 8;
  if (rect.empty ())
    return;
  /* neighbouring items take neighbouring pixels of an image, and words of a buffer; measured on an H200 */
  const int image_item_bytes = task.samples_per_pixel () == 4 ? 8 : 4;
  const int gpu_samples =
      task.src.image || task.dst.image ? image_item_bytes / runner.format ().sample_size () : gpu_item_samples;
  const KernelSpec spec{.sources = {"lib/point.clh", "lib/copy.cl"},
      .function = "copy_plane",
      .item_samples = runner.backend () == Backend::gpu ? gpu_samples : 1,
      .moves_samples = true,
      .tunable = {.local = true}};
  runner.launch (spec, task, Patch::of (task, rect));
}

void
copy_plane (Runner &runner, const PlaneView &from, const PlaneView &to)
{
  const Rect whole{0, 0, from.width, from.height};
  copy_samples (runner, {.src = from, .dst = to, .plane = 0, .region = whole, .components = 0}, whole);
}

PlaneView
in_buffer (Runner &runner, const PlaneView &plane, const ScratchName &name)
{
  if (!plane.image)
    return plane;
  const PlaneView copy = runner.scratch_plane (name, plane);
  copy_plane (runner, plane, copy);
  return copy;
}

bool
is_interlaced (const GstVideoInfo &info, GstBuffer *buffer)
{
  const GstVideoInterlaceMode mode = GST_VIDEO_INFO_INTERLACE_MODE (&info);
  return mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED
         || (mode == GST_VIDEO_INTERLACE_MODE_MIXED && GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED));
}

PlaneView
field_of (PlaneView view, int field)
{
  view.offset += field * view.stride;
  view.stride *= 2;
  view.height = (view.height + 1 - field) / 2;
  return view;
}

PlaneView
field_to_read (Runner &runner, const PlaneView &plane, int field, int frame_height, const ScratchName &name)
{
  const PlaneView rows = field_of (plane, field);
  const int wanted = plane_height (*plane.layout, (frame_height + 1 - field) / 2);
  if (rows.height >= wanted)
    return rows;
  if (rows.height == 0)
    return plane;
  PlaneView taller = rows;
  taller.height++;
  PlaneView copy = runner.scratch_plane (name, taller), last = rows;
  copy.height = last.height = 1;
  last.offset += (rows.height - 1) * rows.stride;
  copy.offset += rows.height * copy.stride;
  copy_plane (runner, last, copy);
  copy.offset = 0;
  copy.height = rows.height;
  copy_plane (runner, rows, copy);
  return copy;
}

cl_long
mix_amount (Runner &runner, double amount)
{
  cl_long bits = std::llround (std::ldexp (amount, 40));
  if (runner.cl ().device.has_extension ("cl_khr_fp64"))
    std::memcpy (&bits, &amount, sizeof bits);
  return bits;
}

void
mix_samples (Runner &runner, const PlaneTask &task, double amount)
{
  const KernelSpec spec{.sources = {"lib/mix.clh", "lib/mix.cl"},
      .function = "mix_plane",
      .options = {{"ROWS_AT_ONCE", 1}},
      .tunable = {.local = true}};
  runner.launch (spec, task, Patch::of (task), {mix_amount (runner, amount)});
}

BufferedTask::BufferedTask (Runner &runner_, const PlaneTask &task_) : inside (task_), runner (runner_), task (task_)
{
  for (size_t i = 0; i < task.inputs.size (); i++)
    inputs.push_back (in_buffer (runner, task.inputs[i], i == task.main ? "source" : ScratchName ("input", int (i))));
  inside.inputs = inputs;
  inside.src = inputs.empty () ? in_buffer (runner, task.src, "source") : inputs[task.main];
  if (task.dst.image)
    inside.dst = runner.scratch_plane ("result", task.dst);
}

void
BufferedTask::copy_back (const Rect &region)
{
  if (!task.dst.image)
    return;
  PlaneTask storing = task;
  storing.src = inside.dst;
  copy_samples (runner, storing, region);
}

}  // namespace gst::cl
