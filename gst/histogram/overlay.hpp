/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clhistogram's picture in the picture. */
#pragma once

#include "filter/operation.hpp"

namespace gst::cl {

/** Where the curves of a region of a plane are drawn; empty where it is too small for any. */
Rect histogram_panel (const Rect &region);

/** Enqueues the kernels that draw the curves of task.region into its panel, and copies the rest of the region. counts:
 *  of each value of each sample of the pixel, as enqueue_histogram() leaves them; counted: the components they hold. */
void draw_histogram (Runner &runner, const PlaneTask &task, const ::cl::Buffer &counts, unsigned counted, int bins);

}  // namespace gst::cl
