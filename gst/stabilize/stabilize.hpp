/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The work of clstabilize: measures the motion of each frame, smooths the path, and moves the frame to it. */
#pragma once

#include "filter/operation.hpp"
#include "stabilize/motion.hpp"

namespace gst::cl {

struct StabilizeSettings {
  /** Frames to either side that the path is smoothed over. */
  int smoothing = 30;
  /** Of width and height, that is cut off in all. */
  double crop = 0.1;
  /** Of width and height; degrees. */
  double max_shift = 0.25, max_angle = 10;
  bool posts = true;
  guint64 interval = 1;
};

/** What to do with the inputs: FrameTimes::job. */
struct StabilizeJob {
  /** The one input is analysed, and nothing else is done. */
  bool only_looks = false;
  /** The main one, the first input, has been looked at; a second one is the newest and has not. */
  bool is_known = false;
  /** Frames that have been, or are now, looked at after the main one. */
  unsigned ahead = 0;

  unsigned packed () const { return only_looks | is_known << 1 | ahead << 2; }
  static StabilizeJob of (unsigned packed) { return {(packed & 1) != 0, (packed & 2) != 0, packed >> 2}; }
};

class Stabilize : public Operation {
public:
  explicit Stabilize (StabilizeSettings (*settings_of) (const Values &)) : settings_of (settings_of) {}

  void update (const Values &values) override { settings = settings_of (values); }
  void begin_frame (Runner &runner, const FrameInfo &info) override;
  void observe (Runner &runner, const PlaneTask &task) override;
  void run (Runner &runner, const PlaneTask &task) override;
  void end_frame (Runner &runner) override;
  std::string algorithm () const override { return "catmull-rom"; }

private:
  void look (Runner &runner, const PlaneTask &task);
  void find_correction (Runner &runner);

  StabilizeSettings (*const settings_of) (const Values &);
  StabilizeSettings settings;
  MotionFinder finder;
  FrameTimes times;
  StabilizeJob job;
  GstVideoInfo video{};
  Reporter *reporter = nullptr;
  guint64 frames = 0;
  /** Whether the current frame has been looked at, in this call. */
  bool has_looked = false, interlaced = false;
};

}  // namespace gst::cl
