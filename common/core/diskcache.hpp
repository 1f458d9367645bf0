/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Program binaries between runs, in $XDG_CACHE_HOME/gst-cl. */
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gst::cl::disk_cache {

using Binary = std::vector<unsigned char>;

/** The binary stored under key, or nothing where there is none or the file is damaged. Never throws for I/O. */
std::optional<Binary> load (const std::string &key);

/** Stores binary under key, atomically, and removes the oldest files while the folder is over its size. A folder that
 *  cannot be written is not an error: the next run builds again. */
void store (const std::string &key, const Binary &binary);

}  // namespace gst::cl::disk_cache
