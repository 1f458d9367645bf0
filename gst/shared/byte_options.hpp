/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** Macros of kernels/lib/lanes.clh. */
inline Options
byte_options (const Runner &runner)
{
  constexpr int capability_of_paired_minima = 90;
  return option_if (runner.cl ().device.nvidia_capability >= capability_of_paired_minima, {"PTX_BYTES", 1});
}

}  // namespace gst::cl
