/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that properties name: read once for all users while they do not change. */
#pragma once

#include "core/error.hpp"

#include <fstream>
#include <glib/gstdio.h>
#include <gst/gst.h>
#include <map>
#include <memory>
#include <mutex>

namespace gst::cl {

/** What identifies the version of a file. */
struct FileState {
  std::string path;
  gint64 size, seconds, nanoseconds;

  auto operator<=> (const FileState &) const = default;
};

/** Throws Failure if the path is not a readable file, or larger than any that `what` describes: "a .cube file". */
inline FileState
state_of_file (const std::string &path, gint64 most_bytes, const char *what)
{
  GStatBuf found;
  if (g_stat (path.c_str (), &found) != 0)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, path + " cannot be read: " + g_strerror (errno) + ".", "");
  if (!S_ISREG (found.st_mode))
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, path + " is no file.", "");
  if (found.st_size > most_bytes)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, path + " is too large for " + what + ".", "");
  return {path, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

/** What `parse (stream, state)` makes of a file. Throws Failure, also what parse throws. Any thread. */
template <typename Content, typename Parse>
std::shared_ptr<const Content>
load_known_file (const std::string &path, gint64 most_bytes, const char *what, Parse parse)
{
  static std::mutex lock;
  static std::map<FileState, std::weak_ptr<const Content>> known;
  const FileState state = state_of_file (path, most_bytes, what);
  const std::lock_guard guard (lock);
  std::erase_if (known, [] (const auto &each) { return each.second.expired (); });
  if (const auto found = known.find (state); found != known.end ())
    if (std::shared_ptr<const Content> content = found->second.lock ())
      return content;
  std::ifstream file (path, std::ios::binary);
  if (!file)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ, path + " cannot be read: " + g_strerror (errno) + ".", "");
  auto content = std::make_shared<const Content> (parse (file, state));
  known[state] = content;
  return content;
}

}  // namespace gst::cl
