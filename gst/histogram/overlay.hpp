/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The curves that clhistogram draws into the picture. */
#pragma once

#include "shared/range.hpp"

namespace gst::cl {

/** Where the curves of a region of a plane are drawn; empty if it is too small. */
Rect histogram_panel (const Rect &region);

struct HistogramCurves {
  /** Those that were counted. */
  unsigned components;
  int bins;
  /** What luma, grey and colours are drawn with. */
  BlackWhite range;
};

/** Enqueues the kernels that draw the curves of task.region into its panel, and copies the rest of the region. counts:
 *  of each value of each sample of the pixel, as enqueue_histogram() leaves them. */
void draw_histogram (Runner &runner, const PlaneTask &task, const ::cl::Buffer &counts, const HistogramCurves &curves);

}  // namespace gst::cl
