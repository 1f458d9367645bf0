/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions from frame to frame: those that a detector loses stay for a while, and move on. */
#pragma once

#include <gst/cl/gstcl-prelude.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gst::cl {

/** A region of interest as its source has it, in pixels of the frame, beyond which it may reach. */
struct Detection {
  int64_t x, y, width, height;
  /** Negative where nobody has numbered it. */
  int64_t id = -1;
  std::string label = {};
};

/** A region is the one of the frame before that has its id; without an id the nearest one of the same label that it would touch. */
class GST_CL_API Tracks {
public:
  /** What is to be filtered in the next frame: everything seen there, and what was lost at most `hold` frames ago, moved by the mean
   *  motion of its last positions. */
  std::vector<Detection> step (std::span<const Detection> seen, unsigned hold);
  void clear () { tracks.clear (); }

private:
  /** The middle of a region, in half pixels, at a frame. */
  struct Position {
    uint64_t frame;
    int64_t x, y;
  };

  struct Track {
    Detection last;
    uint64_t seen_at;
    /** The newest one stands last. */
    std::array<Position, 5> positions;
    unsigned n_positions;

    void add (const Detection &seen, uint64_t frame);
    Detection at (uint64_t frame) const;
  };

  struct Match;
  std::vector<Match> matches_of (std::span<const Detection> seen) const;

  std::vector<Track> tracks;
  uint64_t frame = 0;
};

}  // namespace gst::cl
