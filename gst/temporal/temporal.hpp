/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The work of cltemporal: windows of frames, a running value, and where scenes begin. */
#pragma once

#include "filter/operation.hpp"

namespace gst::cl {

enum class TemporalMethod { average, median, recursive };

struct TemporalSettings {
  TemporalMethod method = TemporalMethod::average;
  /** Of the window, odd. */
  int frames = 5;
  double threshold = 0.1, strength = 1;

  /** How many frames on either side a result is made from. */
  int reach () const { return method == TemporalMethod::recursive ? 0 : frames / 2; }
};

class Temporal : public Operation {
public:
  explicit Temporal (TemporalSettings (*settings_of) (const Values &)) : settings_of (settings_of) {}

  void update (const Values &values) override { settings = settings_of (values); }
  void begin_frame (Runner &runner, const FrameInfo &info) override;
  void observe (Runner &runner, const PlaneTask &task) override;
  void run (Runner &runner, const PlaneTask &task) override;
  void end_frame (Runner &runner) override;
  std::string algorithm () const override;

private:
  /** The running values of one plane or field of it, before and after the current frame. */
  struct State {
    ::cl::Buffer before, after;
    int stride = 0;
    /** Where values stand that follow from the last frame, and from this one. */
    std::vector<Rect> known, written;
  };

  bool is_recursive () const { return settings.method == TemporalMethod::recursive; }
  float limit (const Runner &runner) const { return float (settings.threshold * runner.format ().max_value ()); }
  State &state_of (Runner &runner, const PlaneTask &task);
  bool follows (const State &state, const Rect &region) const;
  void count (Runner &runner, const PlaneTask &task, const PlaneView *other, const State *state, guint64 frame);
  void find_scene (Runner &runner, const PlaneTask &task);
  void run_window (Runner &runner, const PlaneTask &task);
  void run_recursive (Runner &runner, const PlaneTask &task);

  TemporalSettings (*const settings_of) (const Values &);
  TemporalSettings settings;
  /** The numbers of the first input and of the current frame. */
  guint64 first_input = 0, current = 0;
  /** The last frame of which is known whether a scene begins with it, the newest input, and the one that the running
   *  values are of. */
  guint64 judged = 0, newest = 0, running = 0;
  /** Samples that were compared for each frame in the ring, and whether the counts of this frame were begun. */
  std::vector<guint64> samples;
  std::vector<bool> begun;
  bool scene_found = false;
  std::map<std::pair<int, int>, State> states;
};

}  // namespace gst::cl
