/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Broken rules and counters. */
#pragma once

#include <cstdint>
#include <string>

namespace layer {

enum class Rule {
  not_acquired,
  used_after_release,
  release_not_acquired,
  double_acquire,
  overlapping_acquire,
  gl_pending,
  gl_write,
  texture_changed,
  read_only_written,
  raw_access,
  event_misuse,
  released_acquired,
  deleted_texture,
  stale_argument,
  leaked_object,
  context_order,
  sync_timeout,
  unlisted_call,
  dma_pending,
  dma_write,
  double_import,
  import_size,
};

/* Prints the rule and its violation, counts it, and aborts unless CL_GL_LAYER_ABORT is 0. */
[[gnu::format (printf, 2, 3)]] void report (Rule rule, const char *format, ...);

void count (const char *key, std::uint64_t amount = 1);
std::uint64_t counter (const std::string &key);

/* Writes the counters to the file CL_GL_LAYER_STATS when the process ends. */
void write_stats_at_exit ();

}  // namespace layer
