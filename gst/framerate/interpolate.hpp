/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interpolates clframerate's picture between two frames; see docs/elements/clframerate.md. */
#pragma once

#include "filter/operation.hpp"
#include "motion/search.hpp"

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

class Interpolation : public With<FramerateSettings> {
public:
  void changed () override;
  void begin_frame (Runner &runner, const FrameInfo &info) override;
  /** Searches the motion between both frames, unless the last result used the same frames. */
  void observe (Runner &runner, const PlaneTask &task) override;
  void run (Runner &runner, const PlaneTask &task) override;

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

  static ::cl::Buffer field (Runner &runner, const PlaneTask &task, const Motion &motion, int direction);
  static ::cl::Buffer paths (Runner &runner, const PlaneTask &task, const Motion &motion);
  void look (Runner &runner, const PlaneTask &task, Motion &motion);
  void find_paths (Runner &runner, const PlaneTask &task, Motion &motion);
  void compose (Runner &runner, const PlaneTask &task, const Motion &motion);
  bool is_between (const PlaneTask &task) const { return !job.is_copy && task.inputs.size () == 2; }

  /** The settings that vectors depend on. */
  std::pair<FramerateMethod, double> searched{};
  BetweenJob job;
  guint64 first_input = 0;
  std::array<Motion, 2> motions{Motion (0), Motion (1)};
};

}  // namespace gst::cl
