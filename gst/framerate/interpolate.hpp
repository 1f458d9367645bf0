/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The work of clframerate: the picture between two frames. docs/elements/clframerate.md says how. */
#pragma once

#include "filter/operation.hpp"
#include "motion/search.hpp"

namespace gst::cl {

enum class FramerateMethod { motion, blend, repeat };

/** What to make of a window: FrameTimes::job. Without any, a picture in the middle. */
struct BetweenJob {
  /** How far the result is from the first frame to the second one, 1 .. 255 in 256ths. */
  int phase = 128;
  /** The main frame, in other memory. */
  bool is_copy = false;

  unsigned packed () const { return unsigned (phase ^ 128) | unsigned (is_copy) << 8; }
  static BetweenJob of (unsigned packed) { return {int (packed & 255) ^ 128, (packed >> 8) != 0}; }
};

class Interpolation : public Operation {
public:
  struct Settings {
    FramerateMethod method = FramerateMethod::motion;
    double scene_threshold = 0.5;

    bool operator== (const Settings &) const = default;
  };

  explicit Interpolation (Settings (*settings_of) (const Values &)) : settings_of (settings_of) {}

  void update (const Values &values) override;
  void begin_frame (Runner &runner, const FrameInfo &info) override;
  /** Looks for the motion between both frames, unless they are those of the last result. */
  void observe (Runner &runner, const PlaneTask &task) override;
  void run (Runner &runner, const PlaneTask &task) override;
  std::string algorithm () const override;

private:
  /** Of a field, or of whole frames. */
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

  Settings (*const settings_of) (const Values &);
  Settings settings;
  BetweenJob job;
  guint64 first_input = 0;
  std::array<Motion, 2> motions{Motion (0), Motion (1)};
};

}  // namespace gst::cl
