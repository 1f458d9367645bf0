/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The average of frames along motion. */
#pragma once

#include "core/arithmetic.hpp"
#include "filter/runner.hpp"
#include "motion/search.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl {

/* See kernels/temporal/motion.cl. */
constexpr int motion_block = 16, motion_cell = motion_block / 2;

struct AverageJob {
  cl_int columns, rows, subsample_y, first, last;
  cl_uint per_limit;
  cl_int sums_stride;
  cl_float strength;
  cl_int weight;
  cl_int limits[4];
};

/* The samples in a row of a plane, including samples of its last block beyond the edge. */
inline int
samples_of_blocks (const PlaneView &plane)
{
  const int width = motion_cell >> plane.layout->subsample_x;
  return int (round_up (plane.width, width)) * plane.layout->samples_per_pixel;
}

class MotionAverage {
public:
  struct Settings {
    /** How many frames to each side. */
    int reach = 2;
    /** threshold: the mean difference, relative to full scale, from which on a block is ignored. scene_threshold: the fraction
     *  of blocks without a match that makes a cut. strength: the weight of the result. */
    double threshold = 0.1, scene_threshold = 0.5, strength = 1;
    /** The most that a sample may change, relative to full scale. */
    double limit = 1, chroma_limit = 1;
    /** How many frames a running value stands for, at most. */
    int running = 1;
  };

  /** Call this before the other planes: finds the blocks of the first plane in all other inputs. first_input: the number of the
   *  window's first frame. Searches the nearest frames first, so that each search begins with the result of the search
   *  before. */
  void look (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 first_input)
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

  void run (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 first_input)
  {
    const size_t n = task.inputs.size ();
    if (n < 2)
      return copy_samples (runner, task, task.region);
    for (size_t i = 0, others = 0; i < n; i++)
      if (i != task.main) {
        others++;
        add (runner, task, settings,
            {.plane = task.inputs[i],
                .picture = first_input + i,
                .field = field (runner, task.field, i, task.main),
                .first = others == 1,
                .last = others == n - 1});
      }
  }

  /** The same without other inputs: averages the frame with the result of the frame before it, in reverse of the frame after it.
   *  A first plane that is not filtered is its own result. */
  void look_back (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 frame)
  {
    MotionSearch &search = searches[task.field];
    search.set ({.block = motion_block, .scene_threshold = settings.scene_threshold}, 2);
    grids[task.field] = search.grid_of (task.src.width, task.src.height);
    if (const Running &last = results[0][task.field]; last.is_beside (frame, task.src)) {
      const guint64 own = number[task.field] += 2;
      const PlaneView before = result (runner, task, last);
      const MotionSearch::Picture other{before, own - 1};
      const ::cl::Buffer to = field (runner, task.field, 0, 1);
      search.find (runner, task, {.own = {task.src, own}, .others = {&other, 1}, .to = {&to, 1}});
      searched[task.field] = frame;
    }
    if (!task.components)
      make_result (runner, task, settings, frame);
  }

  void run_on (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 frame)
  {
    const Running &running = results[task.plane][task.field];
    if (running.frame != frame)
      make_result (runner, task, settings, frame);
    PlaneTask copy = task;
    copy.src = result (runner, task, running);
    copy_samples (runner, copy, task.region);
  }

private:
  /** One launch: another picture and the field of vectors to it. */
  struct Part {
    const PlaneView &plane;
    /** The number of its luma in the search. */
    guint64 picture;
    ::cl::Buffer field;
    bool first, last;
    int weight = 1;
  };

  /** The last result of a plane, or of one of its fields: the number of its frame, which of two buffers holds it, and its rows; in
   *  mixed streams the first field alternates with whole frames. */
  struct Running {
    std::optional<guint64> frame;
    int place = 0, rows = 0;

    bool is_beside (guint64 other, const PlaneView &plane) const
    {
      return frame && (*frame + 1 == other || other + 1 == *frame) && rows == plane.height;
    }
  };

  ::cl::Buffer field (Runner &runner, int number, size_t input, size_t main) const
  {
    return runner.memory.buffer ({"temporal-field", number, int (input) - int (main)}, grids[number].field_bytes ());
  }

  /* Reads the luma of planar frames from the picture that the motion search has made. */
  void add (Runner &runner, const PlaneTask &task, const Settings &settings, const Part &part)
  {
    const PlaneLayout &layout = *task.src.layout;
    const MotionSearch &search = searches[task.field];
    const MotionGrid &grid = grids[task.field];
    const bool luma = task.plane == 0 && layout.samples_per_pixel == 1, runs = part.weight > 1;
    const double threshold = std::max (settings.threshold * 65535, 1.0);
    const KernelSpec spec{.sources = {"motion/blocks.clh", "motion/moved.clh", "temporal/motion.cl"},
        .function = "average_motion",
        .options = {{"BLOCK", motion_block}, {"LUMA", luma}, {"SUBSAMPLE_X", layout.subsample_x}, {"RUNS", runs}},
        .own_borders = true};
    const int samples = layout.samples_per_pixel, item = samples == 1 && layout.subsample_x < 2 ? 4 : samples == 2 ? 2 : 1;
    /* a sum and a weight for each sample, or with `runs` its rounding error */
    const int stride = (runs ? 1 : 2) * samples_of_blocks (task.src);
    AverageJob job{grid.columns, grid.rows, layout.subsample_y, part.first, part.last, cl_uint (double (1 << 24) / threshold),
        stride, cl_float (settings.strength), part.weight, {}};
    for (int i = 0; i < samples; i++) {
      const bool chroma = runner.format ().model == ColorModel::yuv && (1u << layout.components[i] & chroma_bits);
      job.limits[i] = cl_int (std::lround ((chroma ? settings.chroma_limit : settings.limit) * runner.format ().max_value ()));
    }
    /* on the cpu back end, an item has all rows under the same blocks */
    const int rows = runner.backend () == Backend::cpu ? motion_cell >> layout.subsample_y : 1;
    const int strips = divide_up (task.region.y + task.region.height, rows) - task.region.y / rows;
    runner.run (task,
        Launch (spec, {luma ? ::cl::Memory (search.picture (runner, part.picture)) : part.plane.memory,
                          ReadPlane::of (part.plane), search.finest_level (), part.field, ValueArgument (std::vector{job}),
                          ScratchArgument{{runs ? "temporal-rests" : "temporal-sums", task.plane, task.field},
                              size_t (stride) * task.src.height * (runs ? 1 : sizeof (cl_uint))}})
            .sized (runner.size_for (divide_up (task.src.width, item), strips, {32, 4})));
  }

  static PlaneView result (Runner &runner, const PlaneTask &task, const Running &running)
  {
    return runner.scratch_plane ({"temporal-result", 2 * task.plane + task.field, running.place}, task.src);
  }

  /* Results are of whole planes, because blocks outside of regions may move into them. */
  void make_result (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 frame)
  {
    Running &running = results[task.plane][task.field];
    const bool follows = task.components && running.is_beside (frame, task.src) && searched[task.field] == frame;
    const PlaneView before = result (runner, task, running);
    running = {frame, !running.place, task.src.height};
    PlaneTask whole = task;
    whole.dst = result (runner, task, running);
    whole.region = {0, 0, task.src.width, task.src.height};
    whole.regions = {};
    if (follows)
      add (runner, whole, settings,
          {.plane = before,
              .picture = number[task.field] - 1,
              .field = field (runner, task.field, 0, 1),
              .first = true,
              .last = true,
              .weight = settings.running - 1});
    else {
      copy_samples (runner, whole, whole.region);
      runner.memory.cleared (
          {"temporal-rests", task.plane, task.field}, size_t (samples_of_blocks (task.src)) * task.src.height);
    }
  }

  /** One for each field; whole frames use the first. */
  std::array<MotionSearch, 2> searches{MotionSearch (0), MotionSearch (1)};
  std::array<MotionGrid, 2> grids{};
  std::array<std::array<Running, 2>, most_planes> results;
  /** For each field, the frame that was searched last in a result, and the number of its picture, which follows the result's. */
  std::array<std::optional<guint64>, 2> searched;
  std::array<guint64, 2> number{};
};

}  // namespace gst::cl
