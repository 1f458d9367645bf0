/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/vendors.hpp"
#include "filter/runner.hpp"

namespace gst::cl {

/** Macros of kernels/lib/lanes.clh. */
inline Options
byte_options (const Runner &runner)
{
  return option_if (vendors::has_paired_minima (runner.cl ().device), {"PTX_BYTES", 1});
}

}  // namespace gst::cl
