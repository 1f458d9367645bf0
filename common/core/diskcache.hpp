/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Program binaries between runs, in $XDG_CACHE_HOME/gst-cl. */
#pragma once

#include <glib.h>
#include <gst/cl/gstcl-prelude.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gst::cl {
struct Device;
}

namespace gst::cl::disk_cache {

using Binary = std::vector<unsigned char>;

/** The binary stored under key, or nothing where there is none or the file is damaged. Never throws for I/O. */
std::optional<Binary> load (const std::string &key);

/** Whether there is a file for key; it may be damaged. */
bool holds (const std::string &key);

/** Stores binary under key, atomically, and removes the oldest files while the folder is over its size. A folder that
 *  cannot be written is not an error: the next run builds again. */
void store (const std::string &key, const Binary &binary);

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
