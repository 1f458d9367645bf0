/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of cllevels: made from settings on the host, or from the frame on the device. */
#pragma once

#include "shared/histogram_plan.hpp"
#include "shared/range.hpp"

namespace gst::cl {

struct LevelsSettings {
  /** levels/levels.cl's LEVELS_RING */
  static constexpr int most_frames = 600;

  double black = 0, white = 1, gamma = 1;
  bool automatic = false;
  double clip = 0.005;
  /** Frames, at least 1. */
  int smoothing = 1;
  Range range = Range::automatic;

  bool neutral () const { return !automatic && (black == white || (black == 0 && white == 1 && gamma == 1)); }
};

/** What the device keeps of previous frames. */
struct LevelsHistory {
  /** Position of the next frame's pair, and the number of pairs. */
  int next = 0, frames = 0;
};

/** A table of samples for every value, in bytes as the device has them. */
std::vector<std::byte> fixed_table (const Format &format, const LevelsSettings &settings, const BlackWhite &range);
/** The same on the device: measures task.region of task.src. Regions of a frame, by their index, have histories of their own. */
const ::cl::Buffer &measured_table (Runner &runner, const PlaneTask &task, const LevelsSettings &settings,
    const BlackWhite &range, LevelsHistory &history, size_t region);

/** Enqueues the map of task.region by a table. */
void stretch (Runner &runner, const PlaneTask &task, const ::cl::Buffer &table);

}  // namespace gst::cl
