/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/diskcache.hpp"

#include "core/device.hpp"

#include <glib.h>
#include <glib/gstdio.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace gst::cl::disk_cache {

namespace {

namespace fs = std::filesystem;

/* A file is this line, the checksum of the binary in hex, a line end, and the binary. */
constexpr char magic[] = "gst-cl program 1\n";
constexpr size_t checksum_length = 64;
constexpr size_t header_length = sizeof magic - 1 + checksum_length + 1;

/* Large enough for every filter, format and device of one machine, small enough for nobody to mind. */
constexpr uintmax_t size_limit = 128u << 20;

std::string
checksum (const void *data, size_t size)
{
  g_autofree gchar *hex = g_compute_checksum_for_data (G_CHECKSUM_SHA256, static_cast<const guchar *> (data), size);
  return hex;
}

fs::path
file_of (const std::string &key)
{
  return folder () / (checksum (key.data (), key.size ()) + ".bin");
}

struct StoredFile {
  fs::path path;
  fs::file_time_type used;
  uintmax_t size;
};

/* Other processes may add, touch and remove files meanwhile: each is looked at once, and what is gone is passed over.
 * What else stands there is small, and its makers' own. */
std::vector<StoredFile>
list_files ()
{
  std::vector<StoredFile> files;
  std::error_code error;
  fs::directory_iterator it (folder (), error);
  for (; !error && it != fs::directory_iterator (); it.increment (error)) {
    if (it->path ().filename ().string ().find (".bin") == std::string::npos)
      continue;
    std::error_code gone;
    StoredFile file{it->path (), it->last_write_time (gone), 0};
    if (!gone)
      file.size = it->file_size (gone);
    if (!gone)
      files.push_back (std::move (file));
  }
  return files;
}

void
remove_oldest ()
{
  std::vector<StoredFile> files = list_files ();
  uintmax_t size = 0;
  for (const StoredFile &file : files)
    size += file.size;
  if (size <= size_limit)
    return;
  std::ranges::sort (files, {}, &StoredFile::used);
  for (const StoredFile &file : files) {
    std::error_code error;
    fs::remove (file.path, error);
    size -= file.size;
    if (size <= size_limit)
      return;
  }
}

int64_t
unix_seconds (fs::file_time_type time)
{
  const auto age = std::chrono::duration_cast<std::chrono::seconds> (fs::file_time_type::clock::now () - time);
  return g_get_real_time () / G_USEC_PER_SEC - age.count ();
}

/* Whether files can be written there, now or once the folder is made. */
bool
is_writable (fs::path path)
{
  std::error_code error;
  while (!fs::exists (path, error) && path.has_relative_path ())
    path = path.parent_path ();
  return fs::is_directory (path, error) && access (path.c_str (), W_OK | X_OK) == 0;
}

/* Where PoCL's programs go, by its own rule. */
fs::path
pocl_folder ()
{
  const char *cache = g_getenv ("XDG_CACHE_HOME"), *home = g_getenv ("HOME");
  if (cache && *cache)
    return fs::path (cache) / "pocl" / "kcache";
  return home ? fs::path (home) / ".cache" / "pocl" / "kcache" : fs::path ("/tmp/pocl/kcache");
}

/* A folder that goes with the process; a process that is forked from it leaves it alone. */
class TemporaryFolder {
public:
  TemporaryFolder () : path (g_dir_make_tmp ("gst-cl-pocl-XXXXXX", nullptr)), owner (getpid ()) {}
  ~TemporaryFolder ()
  {
    std::error_code error;
    if (path && owner == getpid ())
      fs::remove_all (path, error);
    g_free (path);
  }
  TemporaryFolder (const TemporaryFolder &) = delete;
  TemporaryFolder &operator= (const TemporaryFolder &) = delete;

  gchar *const path;

private:
  const pid_t owner;
};

bool
lend_pocl_a_folder ()
{
  const char *chosen = g_getenv ("POCL_CACHE_DIR");
  if (chosen && *chosen)
    return false;
  if (chosen)
    g_unsetenv ("POCL_CACHE_DIR"); /* PoCL ends the process over an empty one */
  if (is_writable (pocl_folder ()))
    return false;
  static const TemporaryFolder lent;
  return lent.path && g_setenv ("POCL_CACHE_DIR", lent.path, FALSE);
}

std::vector<std::pair<const char *, std::string>>
identity (const Device &device)
{
  return {{"platform", device.platform_name}, {"name", device.name}, {"driver", device.driver_version}};
}

}  // namespace

std::string
device_file (const std::string &kind, const Device &device)
{
  std::string all;
  for (const auto &[name, value] : identity (device))
    all += value + '\n';
  return folder () / (kind + "-" + checksum (all.data (), all.size ()).substr (0, 16) + ".ini");
}

void
write_identity (GKeyFile *file, const Device &device)
{
  for (const auto &[name, value] : identity (device))
    g_key_file_set_string (file, device_group, name, value.c_str ());
}

std::string
identity_problem (GKeyFile *file, const Device &device)
{
  for (const auto &[name, value] : identity (device)) {
    g_autofree gchar *text = g_key_file_get_string (file, device_group, name, nullptr);
    const std::string found = text ? text : "";
    if (found != value)
      return std::string ("its ") + name + " is \"" + found + "\", that of the device \"" + value + "\"";
  }
  return "";
}

void
ensure_driver_folder ()
{
  static const bool lent = lend_pocl_a_folder ();
  (void) lent;
}

std::string
driver_folder ()
{
  const char *chosen = g_getenv ("POCL_CACHE_DIR");
  return chosen ? chosen : pocl_folder ().string ();
}

fs::path
folder ()
{
  return fs::path (g_get_user_cache_dir ()) / "gst-cl";
}

std::optional<Binary>
load (const std::string &key)
{
  const fs::path path = file_of (key);
  std::ifstream file (path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char> (file), {}};
  if (content.size () <= header_length || content.compare (0, sizeof magic - 1, magic) != 0)
    return std::nullopt;
  const char *payload = content.data () + header_length;
  const size_t size = content.size () - header_length;
  if (content.compare (sizeof magic - 1, checksum_length, checksum (payload, size)) != 0)
    return std::nullopt;
  std::error_code error;
  fs::last_write_time (path, fs::file_time_type::clock::now (), error);
  return Binary (payload, payload + size);
}

bool
holds (const std::string &key)
{
  std::error_code error;
  return fs::exists (file_of (key), error);
}

void
store (const std::string &key, const Binary &binary)
{
  std::error_code error;
  fs::create_directories (folder (), error);
  std::string content = magic + checksum (binary.data (), binary.size ()) + "\n";
  content.append (reinterpret_cast<const char *> (binary.data ()), binary.size ());
  if (g_file_set_contents (file_of (key).c_str (), content.data (), static_cast<gssize> (content.size ()), nullptr))
    remove_oldest ();
}

Usage
usage ()
{
  Usage usage;
  usage.limit_bytes = size_limit;
  for (const StoredFile &file : list_files ()) {
    const int64_t used = unix_seconds (file.used);
    usage.oldest = usage.entries ? std::min (usage.oldest, used) : used;
    usage.newest = std::max (usage.newest, used);
    usage.bytes += file.size;
    usage.entries++;
  }
  return usage;
}

size_t
clear ()
{
  size_t removed = 0;
  for (const StoredFile &file : list_files ()) {
    std::error_code error;
    removed += fs::remove (file.path, error);
  }
  return removed;
}

}  // namespace gst::cl::disk_cache
