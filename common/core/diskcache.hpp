/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Program binaries between runs, in $XDG_CACHE_HOME/gst-cl. */
#pragma once

#include "core/files.hpp"

#include <glib.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gst::cl {
struct Device;
}

namespace gst::cl::disk_cache {

using Binary = std::vector<unsigned char>;

/** The binary stored under key, or nothing where there is none, or the file is damaged or of somebody else. Throws nothing. */
GST_CL_API std::optional<Binary> load (const std::string &key);

/** What is stored under key, and the binary in what was read of it: nothing where it is damaged, or of another key. */
GST_CL_API std::string pack (const std::string &key, const Binary &binary);
GST_CL_API std::optional<Binary> unpack (const std::string &key, std::string_view content);

/** Whether there is a file for key that load() would read; it may be damaged. */
GST_CL_API bool holds (const std::string &key);

/** Stores binary under key, atomically, and removes the oldest files while the folder is over its size. A folder that
 *  cannot be written is not an error: the next run builds again. */
GST_CL_API void store (const std::string &key, const Binary &binary);

/** Where the binaries are, *.bin, and small files of others beside them. It need not exist. */
GST_CL_API std::filesystem::path folder ();

/** What the binaries take. */
struct Usage {
  size_t entries = 0;
  uintmax_t bytes = 0, limit_bytes = 0;
  /** When the oldest and the newest were used last, in seconds since 1970; 0 without entries. */
  int64_t oldest = 0, newest = 0;
};

GST_CL_API Usage usage ();

/** Removes all binaries and tells how many went; the other files stay. */
GST_CL_API size_t clear ();

using KeyFile = std::unique_ptr<GKeyFile, decltype (&g_key_file_unref)>;
inline KeyFile
new_key_file ()
{
  return {g_key_file_new (), g_key_file_unref};
}
/** A key file; one of a few megabytes at most. Throws Failure, FileFailure where it cannot be read. */
KeyFile read_key_file (const std::string &path, FileTrust trust);
/** The same of what was read. */
KeyFile parse_key_file (const std::string &content, const std::string &path);
/** Writes it at once, as write_file () does. */
bool write_key_file (const std::string &path, FileTrust trust, GKeyFile *file);

/** Key files about one device and driver stand in the folder as KIND-HASH.ini, and say in their group "device" whose they
 *  are, since hashes may be alike and files be copied. */
inline constexpr char device_group[] = "device";
std::string device_file (const std::string &kind, const Device &device);
void write_identity (GKeyFile *file, const Device &device);
/** Why the file is not for this device; empty where it is. */
std::string identity_problem (GKeyFile *file, const Device &device);

/** PoCL lists no device where it cannot make the folder of its own cache, as without a home. Where that would happen, this
 *  names a folder for it (POCL_CACHE_DIR), which goes with the process. To be called before the first call of OpenCL; in all
 *  other processes, and the second time, it does nothing, so that the environment is touched where nothing works without. */
GST_CL_API void ensure_driver_folder ();
/** Where PoCL keeps its programs. */
std::string driver_folder ();

}  // namespace gst::cl::disk_cache
