/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "table.hpp"

namespace bench {

/** Frames that come alone through the launch lines of options.words, or the usual ones. */
int run_latency (const Options &options);

}  // namespace bench
