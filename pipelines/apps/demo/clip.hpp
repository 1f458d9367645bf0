/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first frames of a video file, decoded into memory, so that a filter can be timed without its decoder. */
#pragma once

#include "pipeline.hpp"

#include <vector>

struct Clip {
  std::vector<Sample> frames;
  int width, height;
  gsize sharpest;    /* the frame with the most detail: the one to show */
  double frame_rate; /* by the timestamps, so that it holds for variable rates too */

  GstCaps *caps () const { return gst_sample_get_caps (frames.front ().get ()); }
};

/* Launch text from a file named "file" to raw frames in the format that all filters of the demo take. */
extern const char *const decode_launch;

/* At most so many seconds, and no more than fit into a few hundred megabytes. */
Clip decode_clip (const std::string &file, double seconds);

/* What one filter did with a clip. */
struct Measurement {
  double fps = 0;
  std::string device, path, algorithm; /* from the element's stats */
  Sample shown;                        /* the clip's sharpest frame, filtered */
};

/* Pushes the clip's frames through a filter for about two seconds, and times from the moment the filter runs warm.
 * Every result is mapped for reading, so that the time holds everything until a frame can be used. */
Measurement measure_filter (const Clip &clip, const std::string &filter);
