/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files named by properties: read once for all users, and again when they change. The last one stays in memory, because the
 * check of a property reads it before a frame does. */
#pragma once

#include "core/files.hpp"

#include <map>
#include <memory>
#include <mutex>

namespace gst::cl {

/** Returns the result of `parse (file)` for an InputFile of limited size. Throws Failure and the exceptions of parse.
 *  Thread-safe. */
template <typename Content, typename Parse>
std::shared_ptr<const Content>
load_known_file (const std::string &path, guint64 most_bytes, Parse parse)
{
  static std::mutex lock;
  static std::map<FileState, std::weak_ptr<const Content>> known;
  static std::shared_ptr<const Content> last;
  InputFile file (path, FileTrust::named, most_bytes);
  const FileState state = file.state ();
  const std::lock_guard guard (lock);
  std::erase_if (known, [] (const auto &each) { return each.second.expired (); });
  if (const auto found = known.find (state); found != known.end ())
    if (std::shared_ptr<const Content> content = found->second.lock ())
      return last = content;
  auto content = std::make_shared<const Content> (parse (file));
  known[state] = content;
  return last = content;
}

}  // namespace gst::cl
