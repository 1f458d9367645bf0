/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

#include "settings.hpp"

namespace layer {

namespace {

const char *
rule_name (Rule rule)
{
  switch (rule) {
    case Rule::not_acquired:
      return "not-acquired";
    case Rule::used_after_release:
      return "used-after-release";
    case Rule::release_not_acquired:
      return "release-not-acquired";
    case Rule::double_acquire:
      return "double-acquire";
    case Rule::overlapping_acquire:
      return "overlapping-acquire";
    case Rule::gl_pending:
      return "gl-pending";
    case Rule::gl_write:
      return "gl-write";
    case Rule::texture_changed:
      return "texture-changed";
    case Rule::read_only_written:
      return "read-only-written";
    case Rule::raw_access:
      return "raw-access";
    case Rule::event_misuse:
      return "event-misuse";
    case Rule::released_acquired:
      return "released-acquired";
    case Rule::deleted_texture:
      return "deleted-texture";
    case Rule::stale_argument:
      return "stale-argument";
    case Rule::leaked_object:
      return "leaked-object";
    case Rule::context_order:
      return "context-order";
    case Rule::sync_timeout:
      return "sync-timeout";
    case Rule::unlisted_call:
      return "unlisted-call";
    case Rule::dma_pending:
      return "dma-pending";
    case Rule::dma_write:
      return "dma-write";
    case Rule::double_import:
      return "double-import";
    case Rule::import_size:
      return "import-size";
  }
  return "unknown";
}

/* Never destroyed: threads of drivers may count after static objects are destroyed. */
struct Counters {
  std::mutex mutex;
  std::map<std::string, std::uint64_t> values;
};

Counters &
counters ()
{
  static Counters &instance = *new Counters;
  return instance;
}

void
write_stats ()
{
  Counters &all = counters ();
  const std::lock_guard lock (all.mutex);
  /* A process that only listed devices, such as a plugin scanner, reports nothing. */
  if (!all.values.count ("contexts"))
    return;
  const std::string &name = settings ().stats;
  std::FILE *file = name == "-" ? stderr : std::fopen (name.c_str (), "w");
  if (!file) {
    std::perror (name.c_str ());
    return;
  }
  for (const auto &[key, value] : all.values)
    std::fprintf (file, "%s=%llu\n", key.c_str (), static_cast<unsigned long long> (value));
  if (file != stderr)
    std::fclose (file);
}

}  // namespace

void
report (Rule rule, const char *format, ...)
{
  char text[512];
  std::va_list arguments;
  va_start (arguments, format);
  std::vsnprintf (text, sizeof text, format, arguments);
  va_end (arguments);
  std::fprintf (stderr, "cl-gl-layer: RULE %s: %s\n", rule_name (rule), text);
  count ("violations");
  count ((std::string ("rule-") + rule_name (rule)).c_str ());
  if (settings ().abort_on_violation)
    std::abort ();
}

void
count (const char *key, std::uint64_t amount)
{
  const std::lock_guard lock (counters ().mutex);
  counters ().values[key] += amount;
}

std::uint64_t
counter (const std::string &key)
{
  const std::lock_guard lock (counters ().mutex);
  const auto found = counters ().values.find (key);
  return found == counters ().values.end () ? 0 : found->second;
}

void
write_stats_at_exit ()
{
  count ("violations", 0);
  if (!settings ().stats.empty ())
    std::atexit (write_stats);
}

}  // namespace layer
