/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "table.hpp"

namespace bench {

/** Pushes single frames through the launch lines of options.words, or the default ones. */
int run_latency (const Options &options);

}  // namespace bench
