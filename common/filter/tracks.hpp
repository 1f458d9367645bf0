/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Detections of analytics metas, and regions that are followed from frame to frame. A region that the
 * detector loses stays for a while, and keeps moving. */
#pragma once

#include "filter/kernelspec.hpp"

#include <gst/cl/gstcl-prelude.h>
#include <gst/gst.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gst::cl {

/** A region of interest as its source gives it, in pixels of the frame; it may extend beyond the frame. */
struct Detection {
  int64_t x, y, width, height;
  /** Negative if it has no number. */
  int64_t id = -1;
  std::string label = {};
  /** Of a detector, 0 to 1. */
  float confidence = 0;
};

/** Identifies regions across frames: by id, or else as the nearest region of the same label that it would touch. */
class GST_CL_API Tracks {
public:
  /** Returns the regions to filter in the next frame: all seen ones, and those that were lost at most `hold` frames ago, moved
   *  by the mean motion of their last positions. */
  std::vector<Detection> step (std::span<const Detection> seen, unsigned hold);
  void clear () { tracks.clear (); }

private:
  /** The centre of a region at a frame, in half pixels. */
  struct Position {
    uint64_t frame;
    int64_t x, y;
  };

  struct Track {
    Detection last;
    uint64_t seen_at;
    /** In order of time. */
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

GST_CL_API bool is_analytics (const GstMeta *meta);

/** Gives the place of a part of the picture in a result, or nothing if the part is not there. */
using NewPlace = std::function<std::optional<Rect> (const Rect &)>;

/** Adds the detections of an analytics meta in their new places, with their trackings and classes. Detections without a place,
 *  and items that have no public way to move, such as masks, are left out. */
GST_CL_API void add_detections (GstBuffer *to, GstMeta *from, const NewPlace &place);

/** Object detections, with the number of the tracking that they relate to; none without GStreamer's analytics library. */
GST_CL_API std::vector<Detection> analytics_on (GstBuffer *buffer);
/** Throws if there is no such library. */
GST_CL_API void require_analytics ();

}  // namespace gst::cl
