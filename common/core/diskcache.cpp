/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/diskcache.hpp"

#include "core/debug.hpp"
#include "core/device.hpp"
#include "core/environment.hpp"
#include "core/files.hpp"
#include "core/text.hpp"

#include <glib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <unistd.h>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"cldiskcache", "OpenCL programs on disk">)

namespace gst::cl::disk_cache {

namespace {

namespace fs = std::filesystem;

/* A file is this line, the checksum of key and binary in hex, a line end, and the binary. */
constexpr char magic[] = "gst-cl program 2\n";
constexpr size_t checksum_length = 64;
constexpr size_t header_length = sizeof magic - 1 + checksum_length + 1;

/* Enough for all filters, formats and devices of a machine. */
constexpr uintmax_t size_limit = 128u << 20;
/* Many times the largest binary of any driver. */
constexpr size_t largest_file = 32u << 20;
/* A key file about a device has a few kilobytes. */
constexpr size_t largest_key_file = 4u << 20;

std::string
checksum (std::string_view data)
{
  g_autofree gchar *hex =
      g_compute_checksum_for_data (G_CHECKSUM_SHA256, reinterpret_cast<const guchar *> (data.data ()), data.size ());
  return hex;
}

/* The checksum includes the key, so that a file under another entry's name is detected. */
std::string
checksum_of_entry (const std::string &key, std::string_view binary)
{
  return checksum (checksum (key) + checksum (binary));
}

fs::path
file_of (const std::string &key)
{
  return folder () / (checksum (key) + ".bin");
}

struct StoredFile {
  fs::path path;
  fs::file_time_type used;
  uintmax_t size;
};

/* Other processes may add, touch and remove files meanwhile: each file is examined once, and missing files are skipped. Other
 * files in the folder are small and not counted. */
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
    if (it->symlink_status (gone).type () != fs::file_type::regular)
      continue;
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
  const FolderLock lock (folder ().string ());
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

/* PoCL's cache folder, by PoCL's own rule. */
fs::path
pocl_folder ()
{
  const char *cache = environment ("XDG_CACHE_HOME"), *home = environment ("HOME");
  if (cache && *cache)
    return fs::path (cache) / "pocl" / "kcache";
  return home ? fs::path (home) / ".cache" / "pocl" / "kcache" : fs::path ("/tmp/pocl/kcache");
}

/* A folder that is removed when the process ends. A forked process does not remove it. */
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

/* Whether files can be written to a folder, or to the one in which it would be created. */
bool
is_writable (fs::path path)
{
  std::error_code error;
  while (!fs::exists (path, error) && path.has_relative_path ())
    path = path.parent_path ();
  return fs::is_directory (path, error) && access (path.c_str (), W_OK | X_OK) == 0;
}

bool
lend_pocl_a_folder ()
{
  const char *chosen = environment ("POCL_CACHE_DIR");
  if ((chosen && *chosen) || is_privileged ())
    return false;
  if (chosen)
    g_unsetenv ("POCL_CACHE_DIR"); /* PoCL aborts the process if the variable is empty */
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
  return folder () / (kind + "-" + checksum (all).substr (0, 16) + ".ini");
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
  const char *chosen = environment ("POCL_CACHE_DIR");
  return chosen ? chosen : pocl_folder ().string ();
}

fs::path
folder ()
{
  return fs::path (g_get_user_cache_dir ()) / "gst-cl";
}

std::optional<Binary>
unpack (const std::string &key, std::string_view content)
{
  if (content.size () <= header_length || !content.starts_with (magic) || content[header_length - 1] != '\n')
    return std::nullopt;
  const std::string_view payload = content.substr (header_length);
  if (content.substr (sizeof magic - 1, checksum_length) != checksum_of_entry (key, payload))
    return std::nullopt;
  return Binary (payload.begin (), payload.end ());
}

std::string
pack (const std::string &key, const Binary &binary)
{
  const std::string_view payload (reinterpret_cast<const char *> (binary.data ()), binary.size ());
  return std::string (magic).append (checksum_of_entry (key, payload)).append ("\n").append (payload);
}

std::optional<Binary>
load (const std::string &key)
{
  try {
    InputFile file (file_of (key).string (), FileTrust::own, largest_file);
    std::optional<Binary> binary = unpack (key, file.read ());
    file.touch ();
    return binary;
  } catch (const FileFailure &failure) {
    if (!failure.is_missing)
      GST_INFO ("a program is built again: %s", failure.what ());
  } catch (const std::bad_alloc &) {
    GST_INFO ("a program is built again: out of memory");
  }
  return std::nullopt;
}

bool
holds (const std::string &key)
{
  g_autoptr (GError) error = nullptr;
  return run_guarded (&error, [&] { InputFile (file_of (key).string (), FileTrust::own, largest_file); });
}

void
store (const std::string &key, const Binary &binary)
{
  if (binary.size () <= largest_file - header_length
      && write_file (file_of (key).string (), FileTrust::own, pack (key, binary)))
    remove_oldest ();
}

Ref<GKeyFile>
parse_key_file (const std::string &raw, const std::string &path)
{
  const std::string content = plain_text (raw);
  Ref<GKeyFile> file (g_key_file_new ());
  g_autoptr (GError) error = nullptr;
  if (!content.empty () && !g_key_file_load_from_data (file.get (), content.data (), content.size (), G_KEY_FILE_NONE, &error))
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, path + " is no key file: " + error->message, "");
  return file;
}

Ref<GKeyFile>
read_key_file (const std::string &path, FileTrust trust)
{
  return parse_key_file (read_file (path, trust, largest_key_file), path);
}

bool
write_key_file (const std::string &path, FileTrust trust, GKeyFile *file)
{
  gsize length = 0;
  g_autofree gchar *text = g_key_file_to_data (file, &length, nullptr);
  return write_file (path, trust, {text, length});
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
