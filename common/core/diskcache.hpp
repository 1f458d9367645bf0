/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stores program binaries in $XDG_CACHE_HOME/gst-cl, for later runs. */
#pragma once

#include "core/files.hpp"
#include "core/ref.hpp"

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

/** The binary stored under key; nothing if there is no file, or if it is damaged or belongs to another user. Never throws. */
GST_CL_API std::optional<Binary> load (const std::string &key);

/** pack() makes the content of the file for key. unpack() takes the binary from it; nothing if it is damaged or has another
 *  key. */
GST_CL_API std::string pack (const std::string &key, const Binary &binary);
GST_CL_API std::optional<Binary> unpack (const std::string &key, std::string_view content);

/** Whether load() would read a file for key. The file may be damaged. */
GST_CL_API bool holds (const std::string &key);

/** Stores binary under key, atomically, and removes the oldest files until the folder is within its limit. If the folder cannot
 *  be written, nothing is stored, and the next run builds the program again. */
GST_CL_API void store (const std::string &key, const Binary &binary);

/** The cache folder, which may not exist yet. It holds the binaries, *.bin, and the key files below. */
GST_CL_API std::filesystem::path folder ();

/** Number and size of the binaries. */
struct Usage {
  size_t entries = 0;
  uintmax_t bytes = 0, limit_bytes = 0;
  /** Last use of the oldest and of the newest entry, in seconds since 1970; 0 without entries. */
  int64_t oldest = 0, newest = 0;
};

GST_CL_API Usage usage ();

/** Removes all binaries, not the other files. Returns their number. */
GST_CL_API size_t clear ();

/** Reads a key file of a few megabytes at most. Throws FileFailure if it cannot be read, Failure if it is no key file. */
Ref<GKeyFile> read_key_file (const std::string &path, FileTrust trust);
/** The same for text that was read already; path is for messages. */
Ref<GKeyFile> parse_key_file (const std::string &content, const std::string &path);
/** Writes file atomically by write_file (); false on failure. */
bool write_key_file (const std::string &path, FileTrust trust, GKeyFile *file);

/** A key file about one device and driver is named KIND-HASH.ini. Its group "device" identifies the device, because two devices
 *  may have the same hash, and users copy files. */
inline constexpr char device_group[] = "device";
std::string device_file (const std::string &kind, const Device &device);
void write_identity (GKeyFile *file, const Device &device);
/** Why the file is not for this device; empty if it is. */
std::string identity_problem (GKeyFile *file, const Device &device);

/** PoCL lists no device if it cannot create its cache folder, for example without a home. In that case this sets POCL_CACHE_DIR
 *  to a temporary folder, which is removed when the process ends; otherwise it leaves the environment unchanged. Call it before
 *  the first OpenCL call; later calls do nothing. */
GST_CL_API void ensure_driver_folder ();
/** The folder in which PoCL caches its programs. */
std::string driver_folder ();

}  // namespace gst::cl::disk_cache
