/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "temporal/motion.hpp"

#include "core/arithmetic.hpp"
#include "filter/runner.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl {

namespace {

/* See kernels/temporal/motion.cl. */
constexpr int motion_block = 16, motion_cell = motion_block / 2;

struct OtherPlane {
  cl_int offset, stride, width, height;
};

struct AverageJob {
  cl_int columns, rows, subsample_y, first, last;
  cl_uint per_limit;
  cl_int sums_stride;
  cl_float strength;
};

template <typename T>
ValueArgument
as_value (const T &of)
{
  return ValueArgument (std::vector<T>{of});
}

}  // namespace

::cl::Buffer
MotionAverage::field (Runner &runner, int number, size_t input, size_t main) const
{
  return runner.memory.buffer ({"temporal-field", number, int (input) - int (main)}, grids[number].field_bytes ());
}

/* From the nearest to the farthest frames, so that each search begins with the result of the one before. */
void
MotionAverage::look (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 first_input)
{
  MotionSearch &search = searches[task.field];
  search.set ({.block = motion_block, .scene_threshold = settings.scene_threshold}, unsigned (2 * settings.reach + 1));
  grids[task.field] = search.grid_of (task.src.width, task.src.height);
  const size_t n = task.inputs.size ();
  for (size_t distance = 1; distance < n; distance++) {
    std::vector<MotionSearch::Picture> others;
    std::vector<::cl::Buffer> to;
    const auto add_input = [&] (size_t input) {
      others.push_back ({task.inputs[input], first_input + input});
      to.push_back (field (runner, task.field, input, task.main));
    };
    if (distance <= task.main)
      add_input (task.main - distance);
    if (task.main + distance < n)
      add_input (task.main + distance);
    if (!others.empty ())
      search.find (runner, task,
          {.own = {task.src, first_input + task.main}, .others = others, .distance = unsigned (distance), .to = to});
  }
}

void
MotionAverage::run (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 first_input)
{
  const size_t n = task.inputs.size ();
  if (n < 2)
    return copy_samples (runner, task, task.region);
  for (size_t i = 0, others = 0; i < n; i++)
    if (i != task.main) {
      others++;
      add (runner, task, settings, first_input, {.input = i, .first = others == 1, .last = others == n - 1});
    }
}

/* Reads the luma of planar frames from the picture that the motion search has made. */
void
MotionAverage::add (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 first_input, const Part &part)
{
  const PlaneView &plane = task.inputs[part.input];
  const PlaneLayout &layout = *task.src.layout;
  const MotionSearch &search = searches[task.field];
  const MotionGrid &grid = grids[task.field];
  const bool luma = task.plane == 0 && layout.samples_per_pixel == 1;
  const double limit = std::max (settings.threshold * 65535, 1.0);
  const KernelSpec spec{.sources = {"motion/blocks.clh", "motion/moved.clh", "temporal/motion.cl"},
      .function = "average_motion",
      .options = {{"BLOCK", motion_block}, {"LUMA", luma}, {"SUBSAMPLE_X", layout.subsample_x}},
      .own_borders = true};
  const int samples = layout.samples_per_pixel, item = samples == 1 && layout.subsample_x < 2 ? 4 : samples == 2 ? 2 : 1;
  const int width = motion_cell >> layout.subsample_x, cells = divide_up (task.src.width, width);
  /* a sum and a weight for each sample */
  const int stride = 2 * cells * width * samples;
  runner.run (task, Launch (spec, {luma ? ::cl::Memory (search.picture (runner, first_input + part.input)) : plane.memory,
                                      as_value (OtherPlane{plane.offset, plane.stride, plane.width, plane.height}),
                                      search.finest_level (), field (runner, task.field, part.input, task.main),
                                      as_value (AverageJob{grid.columns, grid.rows, layout.subsample_y, part.first, part.last,
                                          cl_uint (double (1 << 24) / limit), stride, cl_float (settings.strength)}),
                                      ScratchArgument{{"temporal-sums", task.plane, task.field},
                                          size_t (stride) * plane.height * sizeof (cl_uint)}})
                        .sized (runner.size_for (divide_up (task.src.width, item), task.region.height, {32, 4})));
}

}  // namespace gst::cl
