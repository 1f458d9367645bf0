/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "deinterlace/deinterlace.hpp"

#include "core/arithmetic.hpp"
#include "filter/copies.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

namespace gst::cl {

namespace {

/* As in deinterlace/fields.clh. */
enum : cl_int { KEEPS_BOTTOM = 1, IS_SECOND = 2, IS_ALONE = 4 };

constexpr const char *functions[] = {"deinterlace_bwdif", "deinterlace_yadif", "deinterlace_linear", "deinterlace_weave"};

const char *
name_of (DeinterlaceMethod method)
{
  return functions[int (method)] + std::strlen ("deinterlace_");
}

/* As in deinterlace/bwdif_frame.cl, where it is given by value. */
struct PlaneNumbers {
  cl_int left, top, width, height;
  cl_int2 src, dst, before, after;
};

constexpr int bwdif_item_bytes = 8;

bool
is_whole (const Rect &region, const PlaneView &plane)
{
  return region.x == 0 && region.y == 0 && region.width == plane.width && region.height == plane.height;
}

/* Whether all that is stored of a plane is filtered. */
bool
is_filtered (const PlaneTask &task)
{
  const PlaneLayout &layout = *task.src.layout;
  return !(layout.component_bits () & ~task.components)
         && std::ranges::none_of (
             std::span (layout.components).first (layout.samples_per_pixel), [] (int c) { return c == padding; });
}

cl_int2
place_of (const PlaneView &plane)
{
  return {{plane.offset, plane.stride}};
}

/* Of bwdif on CPUs, whose items take along from row to row what they have loaded: high ones, but some for every unit. Higher ones
 * do not fit a core's nearest cache with what they ask for ahead. height: of the frame, so that its planes share a program. */
int
band_rows (int height, int compute_units)
{
  constexpr int lowest = 8, highest = 64, items_per_unit = 4;
  int rows = highest;
  while (rows > lowest && height < rows * items_per_unit * compute_units)
    rows /= 2;
  return rows;
}

}  // namespace

std::string
Deinterlace::algorithm () const
{
  return name_of (method);
}

/* Whether every row begins on a boundary of so many bytes. */
bool
Deinterlace::FieldPlane::is_aligned (int bytes, int sample_size) const
{
  const int unit = bytes / sample_size;
  return std::ranges::all_of (std::array{&src, &dst, &previous, &next},
      [unit] (const PlaneView *plane) { return plane->offset % unit == 0 && plane->stride % unit == 0; });
}

bool
Deinterlace::FieldPlane::shares_memory (const FieldPlane &other) const
{
  return src.memory () == other.src.memory () && dst.memory () == other.dst.memory ()
         && previous.memory () == other.previous.memory () && next.memory () == other.next.memory ();
}

/* At the ends of a stream the frame itself replaces missing ones, as in yadif's original. */
Deinterlace::FieldPlane
Deinterlace::field_plane (const PlaneTask &task) const
{
  const size_t main = task.main;
  return {task.src, task.dst, task.inputs[main == 0 ? main : main - 1],
      task.inputs[main + 1 == task.inputs.size () ? main : main + 1]};
}

/* bwdif uses only the field if it has no other frame. */
cl_int
Deinterlace::what_of (const PlaneTask &task) const
{
  const bool at_end =
      method == DeinterlaceMethod::bwdif && (job.is_second ? task.main + 1 == task.inputs.size () : task.main == 0);
  return (job.keeps_bottom ? KEEPS_BOTTOM : 0) | (job.is_second ? IS_SECOND : 0) | (job.is_alone || at_end ? IS_ALONE : 0);
}

bool
Deinterlace::is_frame_work (const Runner &runner) const
{
  return method == DeinterlaceMethod::bwdif && !job.is_copy && runner.backend () == Backend::gpu;
}

void
Deinterlace::prepare (Runner &runner, const FrameTask &frame)
{
  is_made = false;
  if (!is_frame_work (runner) || frame.regions.size () != 1 || !is_whole (frame.regions[0], frame.tasks[0].dst))
    return;
  std::vector<FieldPlane> planes;
  for (const PlaneTask &task : frame.tasks) {
    const FieldPlane &plane = planes.emplace_back (field_plane (task));
    if (plane.src.image || plane.dst.image || !plane.shares_memory (planes[0]))
      return;
    if (frame.tasks.size () > 1 && !is_filtered (task))
      return;
  }
  is_made = make_planes (runner, frame.tasks[0], planes);
}

bool
Deinterlace::make_planes (Runner &runner, const PlaneTask &task, std::span<const FieldPlane> planes)
{
  /* as in deinterlace/bwdif_frame.cl */
  constexpr int group_columns = 32, group_rows = 4;
  const int size = runner.format ().sample_size ();
  int bytes = bwdif_item_bytes;
  for (const FieldPlane &plane : planes)
    while (!plane.is_aligned (bytes, size))
      if ((bytes /= 2) < int (sizeof (cl_uint)))
        return false;
  std::vector<PlaneNumbers> numbers (most_planes, {.left = INT_MAX});
  int across = 0, left = 0, top = 0, below = 0;
  for (size_t i = 0; i < planes.size (); i++) {
    const FieldPlane &plane = planes[i];
    const int samples = plane.src.width * plane.src.layout->samples_per_pixel;
    const int columns = divide_up (samples, group_columns * bytes / size);
    const int rows = divide_up (plane.src.height, 2 * group_rows);
    /* whichever leaves fewer groups without work */
    if (std::max (across, left + columns) * std::max (below, top + rows) > std::max (across, columns) * (below + rows)) {
      left = 0;
      top = below;
    }
    numbers[i] = {left, top, samples, plane.src.height, place_of (plane.src), place_of (plane.dst), place_of (plane.previous),
        place_of (plane.next)};
    left += columns;
    across = std::max (across, left);
    below = std::max (below, top + rows);
  }
  const KernelSpec spec{.sources = {"deinterlace/fields.clh", "deinterlace/bwdif.clh", "deinterlace/bwdif_halves.clh",
                            "deinterlace/bwdif_frame.cl"},
      .function = "deinterlace_bwdif_frame",
      .options = {{"BWDIF_KEEPS", !is_filtered (task)}},
      .item_samples = bytes / size};
  const FieldPlane &first = planes.front ();
  runner.launch_range (spec, task,
      WorkSize{{size_t (across) * group_columns, size_t (below) * group_rows}, {group_columns, group_rows}},
      {first.src.memory, first.dst.memory, first.previous.memory, first.next.memory, ValueArgument (numbers), what_of (task),
          runner.keep_mask (task)});
  return true;
}

void
Deinterlace::run (Runner &runner, const PlaneTask &task)
{
  if (job.is_copy)
    return copy_samples (runner, task, task.region);
  if (is_made)
    return;
  const FieldPlane plane = field_plane (task);
  if (is_frame_work (runner) && is_whole (task.region, task.dst) && make_planes (runner, task, {&plane, 1}))
    return;
  run_plane (runner, task, plane);
}

void
Deinterlace::run_plane (Runner &runner, const PlaneTask &task, const FieldPlane &plane)
{
  const bool is_bwdif = method == DeinterlaceMethod::bwdif, is_yadif = method == DeinterlaceMethod::yadif;
  const bool gpu = runner.backend () == Backend::gpu;
  const int size = runner.format ().sample_size ();
  /* of bwdif's parts of planes, each sample is loaded by itself */
  const auto aligned = [&] (int bytes) { return gpu && !is_bwdif && plane.is_aligned (bytes, size); };
  std::vector<const char *> sources{"lib/point.clh", "deinterlace/fields.clh"};
  if (is_bwdif)
    sources.insert (sources.end (), {"deinterlace/bwdif.clh", "deinterlace/bwdif_bytes.clh"});
  sources.push_back (is_bwdif ? "deinterlace/bwdif.cl" : is_yadif ? "deinterlace/yadif.cl" : "deinterlace/simple.cl");
  /* rows of more samples do not fit the registers */
  const int item_bytes = is_bwdif || is_yadif ? 8 : 16;
  const KernelSpec spec{.sources = std::move (sources),
      .function = functions[int (method)],
      .options = {{"INPUTS_ALIGNED", aligned (16)  ? 16
                                     : aligned (4) ? 4
                                                   : 0}},
      .item_samples = gpu ? item_bytes / size : 1,
      .item_rows = !gpu && is_bwdif ? band_rows (task.frame.front ().height, int (runner.cl ().device.compute_units)) : 1,
      .own_borders = true,
      .tunable = free_on_gpu (gpu, is_yadif ? 0 : item_bytes / size)};
  runner.launch (spec, task, Patch::of (task),
      {plane.previous.memory, place_of (plane.previous), plane.next.memory, place_of (plane.next), what_of (task)});
}

}  // namespace gst::cl
