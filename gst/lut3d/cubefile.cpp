/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lut3d/cube.hpp"

#include <fstream>
#include <glib/gstdio.h>
#include <mutex>

namespace gst::cl {

namespace {

/* A cube of 129 entries an edge, written with many digits, is a quarter of that. */
constexpr goffset most_bytes = goffset (512) << 20;

/** What tells a file from what it was before. */
struct FileState {
  std::string path;
  gint64 size, seconds, nanoseconds;

  auto operator<=> (const FileState &) const = default;
};

FileState
state_of (const std::string &path)
{
  GStatBuf found;
  if (g_stat (path.c_str (), &found) != 0)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, path + " cannot be read: " + g_strerror (errno) + ".", "");
  if (!S_ISREG (found.st_mode) || found.st_size > most_bytes)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        path + (S_ISREG (found.st_mode) ? " is larger than any .cube file." : " is no file."), "");
  return {path, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

}  // namespace

std::shared_ptr<const Cube>
load_cube (const std::string &path)
{
  static std::mutex lock;
  static std::map<FileState, std::weak_ptr<const Cube>> known;
  const FileState state = state_of (path);
  const std::lock_guard guard (lock);
  std::erase_if (known, [] (const auto &each) { return each.second.expired (); });
  if (const auto found = known.find (state); found != known.end ())
    if (std::shared_ptr<const Cube> cube = found->second.lock ())
      return cube;
  std::ifstream file (path);
  if (!file)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ, path + " cannot be read: " + g_strerror (errno) + ".", "");
  auto cube = std::make_shared<const Cube> (parse_cube (file, path));
  known[state] = cube;
  return cube;
}

}  // namespace gst::cl
