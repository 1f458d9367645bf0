/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads and writes files. All code of the library does it here. */
#pragma once

#include "core/error.hpp"

#include <compare>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <utility>

namespace gst::cl {

/** Owns a file descriptor, or none. Closing it leaves errno. */
class GST_CL_API Descriptor {
public:
  explicit Descriptor (int owned = -1) : fd (owned) {}
  Descriptor (Descriptor &&other) noexcept : fd (other.release ()) {}
  Descriptor &operator= (Descriptor &&other) noexcept
  {
    std::swap (fd, other.fd);
    return *this;
  }
  ~Descriptor ();

  int get () const { return fd; }
  explicit operator bool () const { return fd >= 0; }
  /** For calls that take the descriptor over. */
  int release () { return std::exchange (fd, -1); }

private:
  int fd;
};

/** Who chose the file: this determines whether symbolic links and other owners are accepted. */
enum class FileTrust {
  /** The user, by a property or variable: symbolic links are followed. */
  named,
  /** The library. The folder and the file must belong to the user, not be writable by others, and not be symbolic links. A
   *  privileged process has no such folder. */
  own,
};

/** Identifies one version of a file's content. */
struct FileState {
  std::string path;
  guint64 inode;
  gint64 size, seconds, nanoseconds;

  auto operator<=> (const FileState &) const = default;
};

/** Thrown for a file that cannot be read; what() is "PATH cannot be read: WHY." */
class GST_CL_API FileFailure : public Failure {
public:
  FileFailure (const std::string &path, int code, const std::string &why, bool is_missing);

  /** Whether the file does not exist. */
  bool is_missing;
};

/** A regular file of limited size, open for reading. */
class GST_CL_API InputFile {
public:
  /** Opens path without waiting. Refuses folders, pipes, devices, and files of more than most_bytes. Throws FileFailure
   *  (RESOURCE, NOT_FOUND, OPEN_READ or SETTINGS). */
  InputFile (const std::string &path, FileTrust trust, guint64 most_bytes);

  /** The file's state when it was opened. */
  FileState state () const { return {path, found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec}; }
  guint64 size () const { return guint64 (found.st_size); }

  /** Reads the rest of the file. Throws FileFailure (RESOURCE, READ), also if the file has grown beyond most_bytes. */
  std::string read ();
  /** Reads exactly `bytes` bytes. Throws FileFailure (RESOURCE, READ) if the file has fewer left. */
  void read (void *to, size_t bytes);
  /** Sets the file's times to now. */
  void touch () const { futimens (file.get (), nullptr); }

private:
  size_t read_some (void *to, size_t bytes);
  [[noreturn]] void refuse (int code, const std::string &why) const;

  const std::string path;
  const guint64 most_bytes;
  Descriptor file;
  struct stat found = {};
};

/** Opens a file as InputFile does and returns its content. Throws FileFailure. */
GST_CL_API std::string read_file (const std::string &path, FileTrust trust, guint64 most_bytes);

/** Replaces a file's content atomically: a reader gets either all of the old content or all of the new. Creates a missing
 *  folder. With FileTrust::own, only this user may read the folder and the file. Returns false on failure. */
GST_CL_API bool write_file (const std::string &path, FileTrust trust, std::string_view content);

/** Locks a folder against other processes that use this class. After a second of waiting the constructor continues without the
 *  lock: an entry may then be lost, but no file is damaged, because writes are atomic. */
class GST_CL_API FolderLock {
public:
  /** The folder need not exist. */
  explicit FolderLock (const std::string &folder);

private:
  const Descriptor folder_file;
};

}  // namespace gst::cl
