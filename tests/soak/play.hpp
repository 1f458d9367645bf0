/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One round: a scene plays to its end, and things happen to it meanwhile. */
#pragma once

#include "scene.hpp"

namespace soak {

struct Round {
  /** Frames that came in and out since the last flush or stop; they agree unless something was lost. */
  guint64 in = 0, out = 0;
  /** All that came out. */
  guint64 frames = 0;
  /** Stops that GStreamer itself ended with an error. */
  guint64 late_events = 0;
  /** What happened, for people. */
  std::string events;
  /** What went wrong; "" where nothing did. */
  std::string problem;
};

/** quiet: nothing happens to it, and the picture is compared with what the scene showed before. */
Round play (Scene &scene, Dice &dice, bool quiet);

}  // namespace soak
