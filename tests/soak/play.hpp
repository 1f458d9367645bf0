/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One round: plays a scene to its end, with events on the way. */
#pragma once

#include "scene.hpp"

namespace soak {

struct Round {
  /** Frames in and out since the last flush or stop; equal unless a frame was lost. */
  guint64 in = 0, out = 0;
  /** All frames that came out. */
  guint64 frames = 0;
  /** Stops that GStreamer itself made fail. */
  guint64 late_events = 0;
  /** The events, as text. */
  std::string events;
  /** The failure; "" if there is none. */
  std::string problem;
};

/** quiet: plays without events, and compares the picture with the scene's earlier one. */
Round play (Scene &scene, Dice &dice, bool quiet);

}  // namespace soak
