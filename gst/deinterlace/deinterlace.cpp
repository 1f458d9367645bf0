/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "deinterlace/deinterlace.hpp"

#include "filter/copies.hpp"

#include <algorithm>
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

/* Whether every row of these planes begins on a boundary of so many bytes. */
bool
is_aligned (std::initializer_list<const PlaneView *> planes, int bytes, int sample_size)
{
  const int unit = bytes / sample_size;
  return std::ranges::all_of (
      planes, [unit] (const PlaneView *plane) { return plane->offset % unit == 0 && plane->stride % unit == 0; });
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

/* At the ends of a stream the frame itself replaces missing ones, as in yadif's original; bwdif uses only the field
 * if it has no other frame. */
void
Deinterlace::run (Runner &runner, const PlaneTask &task)
{
  if (job.is_copy)
    return copy_samples (runner, task, task.region);
  const bool is_first = task.main == 0, is_last = task.main + 1 == task.inputs.size ();
  const PlaneView &previous = task.inputs[is_first ? task.main : task.main - 1];
  const PlaneView &next = task.inputs[is_last ? task.main : task.main + 1];
  const bool is_bwdif = method == DeinterlaceMethod::bwdif, is_yadif = method == DeinterlaceMethod::yadif;
  const bool at_end = is_bwdif && (job.is_second ? is_last : is_first);

  const bool gpu = runner.backend () == Backend::gpu;
  const int size = runner.format ().sample_size ();
  const int aligned = !gpu                                                   ? 0
                      : is_aligned ({&task.src, &previous, &next}, 16, size) ? 16
                      : is_aligned ({&task.src, &previous, &next}, 4, size)  ? 4
                                                                             : 0;
  const char *file = is_bwdif ? "deinterlace/bwdif.cl" : is_yadif ? "deinterlace/yadif.cl" : "deinterlace/simple.cl";
  /* bwdif's rows of more samples do not fit the registers: on an H100 116 us of a 2160p frame instead of 162 with 16 bytes */
  const int item_bytes = is_bwdif || is_yadif ? 8 : 16;
  std::vector<const char *> sources{"lib/point.clh", "deinterlace/fields.clh", file};
  if (is_bwdif)
    sources.insert (sources.end () - 1, "deinterlace/bwdif_bytes.clh");
  const KernelSpec spec{.sources = std::move (sources),
      .function = functions[int (method)],
      .options = {{"INPUTS_ALIGNED", aligned}},
      .item_samples = gpu ? item_bytes / size : 1,
      .item_rows = !gpu && is_bwdif ? band_rows (task.frame.front ().height, int (runner.cl ().device.compute_units)) : 1,
      .own_borders = true,
      .tunable = free_on_gpu (gpu, is_yadif ? 0 : item_bytes / size)};
  const cl_int what =
      (job.keeps_bottom ? KEEPS_BOTTOM : 0) | (job.is_second ? IS_SECOND : 0) | (job.is_alone || at_end ? IS_ALONE : 0);
  runner.launch (spec, task, Patch::of (task),
      {previous.memory, cl_int2{{previous.offset, previous.stride}}, next.memory, cl_int2{{next.offset, next.stride}}, what});
}

}  // namespace gst::cl
