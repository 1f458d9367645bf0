/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "filter/runner.hpp"

#include <string>

namespace gst::cl {

/** -D values for kernels/shared/bytes.clh. */
inline std::string
byte_options (const Runner &runner)
{
  constexpr int capability_of_paired_minima = 90;
  return runner.cl ().device.nvidia_capability >= capability_of_paired_minima ? " -DPTX_BYTES=1" : "";
}

}  // namespace gst::cl
