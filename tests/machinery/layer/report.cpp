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
report (const char *rule, const char *format, ...)
{
  char text[512];
  std::va_list arguments;
  va_start (arguments, format);
  std::vsnprintf (text, sizeof text, format, arguments);
  va_end (arguments);
  std::fprintf (stderr, "cl-gl-layer: RULE %s: %s\n", rule, text);
  count ("violations");
  count ((std::string ("rule-") + rule).c_str ());
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
