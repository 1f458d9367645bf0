/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/files.hpp"

#include "core/environment.hpp"

#include <glib.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>

namespace gst::cl {

namespace {

namespace fs = std::filesystem;

constexpr mode_t for_others = S_IRWXG | S_IRWXO, writable_by_others = S_IWGRP | S_IWOTH;

std::string
parent_of (const std::string &path)
{
  const fs::path parent = fs::path (path).parent_path ();
  return parent.empty () ? "." : parent.string ();
}

const char *
kind_of (mode_t mode)
{
  return S_ISDIR (mode) ? "a folder" : S_ISFIFO (mode) ? "a pipe" : S_ISSOCK (mode) ? "a socket" : "a device";
}

/* Opens a folder of the library if it can be trusted; else returns none and sets why. Corrects the mode that earlier versions
 * used. */
Descriptor
open_own_folder (const std::string &path, std::string &why)
{
  if (is_privileged ()) {
    errno = EACCES;
    why = "a process of more rights than its caller has no cache";
    return Descriptor ();
  }
  Descriptor folder (open (path.c_str (), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) {
    const bool is_link = errno == ELOOP || (errno == ENOTDIR && fs::is_symlink (path));
    why = is_link ? "its folder is a symbolic link" : g_strerror (errno);
    return folder;
  }
  struct stat found;
  if (fstat (folder.get (), &found) != 0 || found.st_uid != geteuid ())
    why = "its folder is of another user";
  else if ((found.st_mode & for_others) && fchmod (folder.get (), S_IRWXU) != 0 && (found.st_mode & writable_by_others))
    why = "others may write its folder";
  if (why.empty ())
    return folder;
  errno = EACCES;
  return Descriptor ();
}

Descriptor
open_file (const std::string &path, FileTrust trust, std::string &why)
{
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  Descriptor folder, file;
  if (trust == FileTrust::named)
    file = Descriptor (open (path.c_str (), flags));
  else if (folder = open_own_folder (parent_of (path), why); folder)
    file = Descriptor (openat (folder.get (), fs::path (path).filename ().c_str (), flags | O_NOFOLLOW));
  if (!file && why.empty ())
    why = trust == FileTrust::own && errno == ELOOP ? "it is a symbolic link" : g_strerror (errno);
  return file;
}

/* Why a file of the library is not trusted; "" if it is. */
std::string
distrust_of (const struct stat &found)
{
  return found.st_uid != geteuid () ? "it is of another user" : found.st_mode & writable_by_others ? "others may write it" : "";
}

/* GLib (2.84) follows links and keeps the mode of a file that it writes again. */
void
remove_untrusted (int folder, const char *name)
{
  struct stat found;
  if (fstatat (folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR (found.st_mode))
    return;
  if (!S_ISREG (found.st_mode) || !distrust_of (found).empty ())
    unlinkat (folder, name, 0);
}

}  // namespace

Descriptor::~Descriptor ()
{
  const int error = errno;
  if (fd >= 0)
    close (fd);
  errno = error;
}

FileFailure::FileFailure (const std::string &path, int code_, const std::string &why, bool is_missing_)
    : Failure (GST_RESOURCE_ERROR, code_, path + " cannot be read: " + why + ".", ""), is_missing (is_missing_)
{
}

InputFile::InputFile (const std::string &path_, FileTrust trust, guint64 most_bytes_) : path (path_), most_bytes (most_bytes_)
{
  std::string why;
  file = open_file (path, trust, why);
  if (!file) {
    const bool is_missing = errno == ENOENT || (errno == ENOTDIR && trust == FileTrust::named);
    throw FileFailure (path, is_missing ? GST_RESOURCE_ERROR_NOT_FOUND : GST_RESOURCE_ERROR_OPEN_READ, why, is_missing);
  }
  if (fstat (file.get (), &found) != 0)
    refuse (GST_RESOURCE_ERROR_OPEN_READ, g_strerror (errno));
  if (!S_ISREG (found.st_mode))
    refuse (GST_RESOURCE_ERROR_SETTINGS, std::string ("it is ") + kind_of (found.st_mode) + ", not a file");
  if (trust == FileTrust::own && !distrust_of (found).empty ())
    refuse (GST_RESOURCE_ERROR_OPEN_READ, distrust_of (found));
  if (size () > most_bytes)
    refuse (GST_RESOURCE_ERROR_SETTINGS,
        "it is too large, with " + std::to_string (size ()) + " of at most " + std::to_string (most_bytes) + " bytes");
}

void
InputFile::refuse (int code, const std::string &why) const
{
  throw FileFailure (path, code, why, false);
}

/* Returns fewer bytes only at the end of the file. */
size_t
InputFile::read_some (void *to, size_t bytes)
{
  size_t done = 0;
  while (done < bytes) {
    const ssize_t n = ::read (file.get (), static_cast<char *> (to) + done, bytes - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      refuse (GST_RESOURCE_ERROR_READ, g_strerror (errno));
    if (n == 0)
      break;
    done += size_t (n);
  }
  return done;
}

std::string
InputFile::read ()
{
  /* files of the Linux kernel report size 0, and other files may grow */
  constexpr size_t step = 4096;
  std::string content;
  for (size_t wanted = std::max<size_t> (size () + 1, step), done = 0;; wanted = 2 * done) {
    content.resize (std::min<guint64> (wanted, most_bytes + 1));
    done += read_some (content.data () + done, content.size () - done);
    if (done > most_bytes)
      refuse (GST_RESOURCE_ERROR_SETTINGS, "it has more than " + std::to_string (most_bytes) + " bytes");
    if (done < content.size ()) {
      content.resize (done);
      return content;
    }
  }
}

void
InputFile::read (void *to, size_t bytes)
{
  if (read_some (to, bytes) != bytes)
    refuse (GST_RESOURCE_ERROR_READ, "it became shorter while it was read");
}

std::string
read_file (const std::string &path, FileTrust trust, guint64 most_bytes)
{
  return InputFile (path, trust, most_bytes).read ();
}

bool
write_file (const std::string &path, FileTrust trust, std::string_view content)
{
  constexpr int usual_mode = 0666, own_mode = 0600;
  const std::string folder = parent_of (path);
  if (trust == FileTrust::named) {
    std::error_code error;
    fs::create_directories (folder, error);
  } else {
    std::string why;
    g_mkdir_with_parents (folder.c_str (), S_IRWXU);
    const Descriptor own = open_own_folder (folder, why);
    if (!own)
      return false;
    remove_untrusted (own.get (), fs::path (path).filename ().c_str ());
  }
  return g_file_set_contents_full (path.c_str (), content.data (), gssize (content.size ()), G_FILE_SET_CONTENTS_CONSISTENT,
      trust == FileTrust::own ? own_mode : usual_mode, nullptr);
}

FolderLock::FolderLock (const std::string &folder)
    : folder_file (open (folder.empty () ? "." : folder.c_str (), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
{
  constexpr int step_us = 10000, most_steps = 100;
  for (int i = 0; folder_file && i < most_steps && flock (folder_file.get (), LOCK_EX | LOCK_NB) != 0; i++) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      break; /* a file system without locks */
    g_usleep (step_us);
  }
}

}  // namespace gst::cl
