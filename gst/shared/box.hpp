/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters by the sums of square windows: kernels/shared/box.cl. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** A window of 2 * radius + 1 samples each way, and its formula. */
struct BoxWindow {
  int radius;
  /** Sources before kernels/shared/box.cl: a file that defines box_result () comes last, after everything that it needs. */
  std::vector<const char *> sources;
  Options options;
  /** BOX_ARGS. */
  Arguments arguments;
  /** Whether the result is the mean, which matrix units compute on devices that have them. */
  bool is_mean = false;
};

Launches box_launches (const Runner &runner, const PlaneTask &task, const BoxWindow &window, const ScratchName &scratch);

}  // namespace gst::cl
