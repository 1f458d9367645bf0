/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "deinterlace/steady.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* See kernels/deinterlace/steady.cl. */
constexpr int steady_block = 16;

struct SteadyJob {
  cl_int columns, rows, subsample_y, keeps_bottom;
};

struct SteadyPlane {
  cl_int offset, stride, width, height;

  static ValueArgument of (const PlaneView &plane)
  {
    return ValueArgument (std::vector{SteadyPlane{plane.offset, plane.stride, plane.width, plane.height}});
  }
};

/* The frame with the field that is shown before or after this one. */
size_t
frame_beside (const PlaneTask &task, const FieldJob &job, int direction)
{
  return direction < 0 ? task.main - !job.is_second : task.main + job.is_second;
}

guint64
number_of (const PlaneTask &task, const FieldJob &job, guint64 first_input)
{
  return 2 * (first_input + task.main) + job.is_second;
}

FieldJob
beside (const FieldJob &job)
{
  return {.keeps_bottom = !job.keeps_bottom, .is_second = !job.is_second};
}

}  // namespace

bool
Steady::can_run (const PlaneTask &task, const FieldJob &job, guint64 first_input) const
{
  return job.is_between && (job.is_second ? task.main + 1 < task.inputs.size () : task.main > 0)
         && (task.plane == 0 || searched == number_of (task, job, first_input));
}

/* Returns the interpolated frame of field `job` of the frame task.main. */
Steady::Whole
Steady::whole (Runner &runner, const PlaneTask &task, const FieldJob &job, guint64 first_input, const MakeWhole &make)
{
  const guint64 number = number_of (task, job, first_input);
  const int place = int (number % kept);
  PlaneTask whole = task;
  whole.src = task.inputs[task.main];
  whole.dst = runner.scratch_plane ({"deinterlace-whole", task.plane, place}, task.src);
  whole.region = {0, 0, task.src.width, task.src.height};
  whole.components = ~0u;
  if (std::exchange (made[task.plane][place], number) != number)
    make (runner, whole, job);
  return {whole.dst, number};
}

::cl::Buffer
Steady::field (Runner &runner, int direction) const
{
  return runner.memory.buffer ({"deinterlace-field", direction}, grid.field_bytes ());
}

void
Steady::look (Runner &runner, const PlaneTask &task, std::span<const Whole> fields)
{
  search.set ({.block = steady_block}, 3);
  grid = search.grid_of (task.src.width, task.src.height);
  const MotionSearch::Picture own{fields[0].plane, fields[0].number},
      others[] = {{fields[1].plane, fields[1].number}, {fields[2].plane, fields[2].number}};
  const ::cl::Buffer to[] = {field (runner, 0), field (runner, 1)};
  search.find (runner, task, {.own = own, .others = others, .to = to});
}

void
Steady::run (Runner &runner, const PlaneTask &task, const FieldJob &job, guint64 first_input, const MakeWhole &make)
{
  std::vector<Whole> fields{whole (runner, task, job, first_input, make)};
  for (const int direction : {-1, 1}) {
    PlaneTask other = task;
    other.main = frame_beside (task, job, direction);
    fields.push_back (whole (runner, other, beside (job), first_input, make));
  }
  if (task.plane == 0 && std::exchange (searched, fields[0].number) != fields[0].number)
    look (runner, task, fields);
  launch (runner, task, job, fields);
}

/* Reads the luma of planar frames from the picture that the motion search has made. */
void
Steady::launch (Runner &runner, const PlaneTask &task, const FieldJob &job, std::span<const Whole> fields)
{
  const PlaneLayout &layout = *task.src.layout;
  const int samples = layout.samples_per_pixel, item = samples == 1 && layout.subsample_x < 2 ? 4 : samples == 2 ? 2 : 1;
  const bool luma = task.plane == 0 && samples == 1;
  const KernelSpec spec{.sources = {"motion/blocks.clh", "motion/moved.clh", "deinterlace/steady.cl"},
      .function = "steady_field",
      .options = {{"BLOCK", steady_block}, {"LUMA", luma}, {"SUBSAMPLE_X", layout.subsample_x}},
      .own_borders = true};
  const auto source = [&] (size_t i) {
    return luma ? ::cl::Memory (search.picture (runner, fields[i].number)) : fields[i].plane.memory;
  };
  const SteadyJob values{grid.columns, grid.rows, layout.subsample_y, job.keeps_bottom};
  runner.run (task,
      Launch (spec, {fields[0].plane.memory, SteadyPlane::of (fields[0].plane), source (1), SteadyPlane::of (fields[1].plane),
                        source (2), SteadyPlane::of (fields[2].plane), search.finest_level (), field (runner, 0),
                        field (runner, 1), ValueArgument (std::vector{values})})
          .sized (runner.size_for (divide_up (task.src.width, item), task.region.height, {32, 4})));
}

}  // namespace gst::cl
