/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interpolates clframerate's picture between two frames; see docs/elements/clframerate.md. */
#pragma once

#include "core/arithmetic.hpp"
#include "filter/operation.hpp"
#include "filter/runner.hpp"
#include "motion/search.hpp"

#include <algorithm>

namespace gst::cl {

enum class FramerateMethod { motion, blend, repeat };

/** The picture to make from a window: FrameTimes::job. The default is halfway between the frames. */
struct BetweenJob {
  /** The position of the result between the first frame and the second, 1 to 255, in 256ths. */
  int phase = 128;
  /** The result is a copy of the main frame. */
  bool is_copy = false;

  unsigned packed () const { return unsigned (phase ^ 128) | unsigned (is_copy) << 8; }
  static BetweenJob of (unsigned packed) { return {int (packed & 255) ^ 128, (packed >> 8) != 0}; }
};

struct FramerateSettings {
  FramerateMethod method = FramerateMethod::motion;
  double scene_threshold = 0.5;
  guint64 max_gap = GST_SECOND / 4;
};

/* See kernels/framerate. */
constexpr int path_block = 16, path_bytes = 12;
constexpr int blended_precision = 4;

struct PathJob {
  cl_int phase, still;
  cl_uint level;
};

struct ComposeJob {
  cl_int columns, rows, subsample_y;
};

class Interpolation : public With<FramerateSettings> {
public:
  void changed () override
  {
    static constexpr const char *names[] = {"motion", "blend", "repeat"};
    algorithm = names[int (settings.method)];
    const std::pair wanted (settings.method, settings.scene_threshold);
    if (std::exchange (searched, wanted) == wanted)
      return;
    for (Motion &motion : motions)
      motion.known.reset ();
  }

  void begin_frame (Runner &, const FrameInfo &info) override
  {
    job = BetweenJob::of (info.job);
    first_input = info.first_input;
    for (Motion &motion : motions)
      motion.has_paths = false;
  }

  /** Searches the motion between both frames, unless the last result used the same frames. */
  void observe (Runner &runner, const PlaneTask &task) override
  {
    Motion &motion = motions[task.field];
    if (!is_between (task) || task.plane != 0 || std::exchange (motion.has_paths, true))
      return;
    if (motion.known != first_input)
      look (runner, task, motion);
    motion.known = first_input;
    find_paths (runner, task, motion);
  }

  void run (Runner &runner, const PlaneTask &task) override
  {
    if (is_between (task))
      compose (runner, task, motions[task.field]);
    else
      copy_samples (runner, task, task.region);
  }

private:
  /** The motion of a field, or of whole frames. */
  struct Motion {
    explicit Motion (int number) : search (number) {}
    MotionSearch search;
    MotionGrid grid{};
    /** The first of the two frames whose vectors are known. */
    std::optional<guint64> known;
    bool has_paths = false;
  };

  /* direction: 0 from the first frame to the second, 1 from the second to the first. */
  static ::cl::Buffer field (Runner &runner, const PlaneTask &task, const Motion &motion, int direction)
  {
    return runner.memory.buffer ({"framerate-field", task.field, direction}, motion.grid.field_bytes ());
  }

  static ::cl::Buffer paths (Runner &runner, const PlaneTask &task, const Motion &motion)
  {
    return runner.memory.buffer ({"framerate-paths", task.field}, size_t (motion.grid.blocks ()) * path_bytes);
  }

  void look (Runner &runner, const PlaneTask &task, Motion &motion)
  {
    const bool still = settings.method != FramerateMethod::motion;
    motion.search.set (
        {.block = path_block, .precision = still ? blended_precision : 1, .scene_threshold = settings.scene_threshold}, 2);
    motion.grid = motion.search.grid_of (task.src.width, task.src.height);
    const MotionSearch::Picture pictures[] = {{task.inputs[0], first_input}, {task.inputs[1], first_input + 1}};
    if (!still)
      motion.search.match (runner, task, pictures[0], pictures[1]);
    for (const int direction : {0, 1}) {
      const ::cl::Buffer to = field (runner, task, motion, direction);
      motion.search.find (runner, task, {.own = pictures[direction], .others = {&pictures[1 - direction], 1}, .to = {&to, 1}});
    }
  }

  void find_paths (Runner &runner, const PlaneTask &task, Motion &motion)
  {
    const KernelSpec spec{.sources = {"motion/blocks.clh", "framerate/path.clh", "framerate/paths.cl"},
        .function = "find_paths",
        .options = {{"BLOCK", path_block}},
        .moves_samples = true};
    constexpr cl_uint area = path_block * path_block;
    const PathJob values{
        job.phase, settings.method != FramerateMethod::motion, area << std::max (runner.format ().depth - 8, 0)};
    runner.run (MotionSearch::any_plane (),
        Launch::range (spec, runner.size_for (motion.grid.columns, motion.grid.rows, {32, 4}),
            {motion.search.picture (runner, first_input), motion.search.picture (runner, first_input + 1),
                motion.search.finest_level (), ValueArgument (std::vector{motion.grid}), field (runner, task, motion, 0),
                field (runner, task, motion, 1), ValueArgument (std::vector{values}), motion.search.fade (runner),
                paths (runner, task, motion)}));
  }

  /* Reads the luma of planar frames from the picture that the motion search has made. */
  void compose (Runner &runner, const PlaneTask &task, const Motion &motion)
  {
    const PlaneLayout &layout = *task.src.layout;
    const bool luma = task.plane == 0 && layout.samples_per_pixel == 1;
    const KernelSpec spec{.sources = {"motion/blocks.clh", "motion/moved.clh", "framerate/path.clh", "framerate/compose.cl"},
        .function = "compose",
        .options = {{"BLOCK", path_block}, {"LUMA", luma}, {"SUBSAMPLE_X", layout.subsample_x}},
        .own_borders = true};
    const int samples = layout.samples_per_pixel, item = samples == 1 && layout.subsample_x < 2 ? 4 : samples == 2 ? 2 : 1;
    const auto source = [&] (size_t i) {
      return luma ? ::cl::Memory (motion.search.picture (runner, first_input + i)) : task.inputs[i].memory;
    };
    runner.run (task,
        Launch (spec, {source (0), ReadPlane::of (task.inputs[0]), source (1), ReadPlane::of (task.inputs[1]),
                          motion.search.finest_level (), paths (runner, task, motion),
                          ValueArgument (std::vector{ComposeJob{motion.grid.columns, motion.grid.rows, layout.subsample_y}})})
            .sized (runner.size_for (divide_up (task.src.width, item), task.region.height, {32, 4})));
  }

  bool is_between (const PlaneTask &task) const { return !job.is_copy && task.inputs.size () == 2; }

  /** The settings that vectors depend on. */
  std::pair<FramerateMethod, double> searched{};
  BetweenJob job;
  guint64 first_input = 0;
  std::array<Motion, 2> motions{Motion (0), Motion (1)};
};

}  // namespace gst::cl
