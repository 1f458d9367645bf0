/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first frames of a video file, decoded into memory, so that a filter can be timed without a decoder. */
#pragma once

#include "pipeline.hpp"

#include <vector>

struct Clip {
  std::vector<Sample> frames;
  int width, height;
  gsize sharpest;    /* the frame with the most detail, which is shown */
  double frame_rate; /* from time stamps, so that it is right for variable rates, too */

  GstCaps *caps () const { return gst_sample_get_caps (frames.front ().get ()); }
};

/* A launch text that decodes the file of the element "file" to the raw format that all filters of the demo take. */
extern const char *const decode_launch;

/* Decodes at most this many seconds, and at most a few hundred megabytes. */
Clip decode_clip (const std::string &file, double seconds);

/* The results of one filter. */
struct Measurement {
  double fps = 0;
  std::string device, path, algorithm; /* from the element's stats */
  Sample shown;                        /* the clip's sharpest frame, filtered */
};

/* Pushes the clip's frames through a filter for about two seconds. Timing starts when the filter is warm. Every result is
 * mapped for reading, so the time includes everything until a frame can be used. */
Measurement measure_filter (const Clip &clip, const std::string &filter);
