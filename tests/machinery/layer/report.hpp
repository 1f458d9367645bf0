/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Broken rules and counters. */
#pragma once

#include <cstdint>
#include <string>

namespace layer {

/* Prints the rule and its violation, counts it, and aborts unless CL_GL_LAYER_ABORT is 0. */
[[gnu::format (printf, 2, 3)]] void report (const char *rule, const char *format, ...);

void count (const char *key, std::uint64_t amount = 1);
std::uint64_t counter (const std::string &key);

/* Writes the counters to the file CL_GL_LAYER_STATS when the process ends. */
void write_stats_at_exit ();

}  // namespace layer
