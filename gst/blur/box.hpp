/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mean of a square window, for planes. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** Writes the means of windows of 2 * radius + 1 samples each way to task.region. */
void run_box (Runner &runner, const PlaneTask &task, int radius);

}  // namespace gst::cl
