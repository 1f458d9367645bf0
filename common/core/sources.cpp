/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/sources.hpp"

#include "core/environment.hpp"
#include "core/files.hpp"

#include <glib.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <sstream>

namespace gst::cl {

namespace {

std::optional<std::string>
read_override (const std::string &name)
{
  const char *path = environment ("GST_CL_KERNEL_PATH");
  std::istringstream folders (path ? path : "");
  for (std::string folder; std::getline (folders, folder, ':');) {
    try {
      return read_file (folder + "/" + name, FileTrust::named, largest_source);
    } catch (const FileFailure &failure) {
      if (!failure.is_missing)
        throw;
    }
  }
  return std::nullopt;
}

std::mutex tables_mutex;

/* Call it with the mutex held. */
std::vector<std::span<const EmbeddedSource>> &
tables ()
{
  static std::vector<std::span<const EmbeddedSource>> all{library_kernels};
  return all;
}

}  // namespace

void
add_sources (std::span<const EmbeddedSource> sources)
{
  const std::lock_guard lock (tables_mutex);
  tables ().push_back (sources);
}

std::string
load_source (const std::string &name)
{
  if (const std::optional<std::string> text = read_override (name))
    return *text;
  const std::lock_guard lock (tables_mutex);
  for (const std::span<const EmbeddedSource> table : tables ())
    for (const EmbeddedSource &each : table)
      if (name == each.name)
        return each.text;
  throw Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT, "The OpenCL kernel " + name + " is missing.",
      "neither embedded nor in GST_CL_KERNEL_PATH");
}

std::string
join_sources (const std::vector<std::string> &names)
{
  std::string joined;
  for (const std::string &name : names)
    joined += "#line 1 \"" + name + "\"\n" + load_source (name) + "\n";
  return joined;
}

std::string
restore_places (const std::string &log, const std::string &source)
{
  const std::string unnamed = "<kernel>:";
  if (log.find (unnamed) == std::string::npos)
    return log;
  std::vector<std::string> places;
  std::string name;
  std::istringstream lines (source);
  const std::string directive = "#line ";
  size_t number = 1;
  for (std::string line; std::getline (lines, line);) {
    const size_t quote = line.find ('"'), last = line.rfind ('"');
    const bool is_named = quote != last && line.ends_with ('"');
    const bool renumbers = line.starts_with (directive) && (is_named || quote == line.npos);
    places.push_back (renumbers ? "" : name + ":" + std::to_string (number++));
    if (renumbers)
      number = g_ascii_strtoull (line.c_str () + directive.size (), nullptr, 10);
    if (renumbers && is_named)
      name = line.substr (quote + 1, last - quote - 1);
  }
  std::string restored;
  size_t done = 0;
  for (size_t at; (at = log.find (unnamed, done)) != std::string::npos;) {
    const size_t digits = at + unnamed.size (), end = std::min (log.find_first_not_of ("0123456789", digits), log.size ());
    const guint64 line = g_ascii_strtoull (log.substr (digits, end - digits).c_str (), nullptr, 10);
    const bool known = line > 0 && line <= places.size () && !places[line - 1].empty ();
    restored += log.substr (done, at - done) + (known ? places[line - 1] : log.substr (at, end - at));
    done = end;
  }
  return restored + log.substr (done);
}

}  // namespace gst::cl
