/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How this library reads and writes files, all of them. */
#pragma once

#include "core/error.hpp"

#include <compare>
#include <string>
#include <string_view>
#include <sys/stat.h>

namespace gst::cl {

/** Who says that a file is to be read. */
enum class FileTrust {
  /** The user, by a property or variable: symbolic links are followed. */
  named,
  /** This library, which keeps it in a folder of its own. Folder and file are this user's, nobody else may write them, and
   *  neither is a symbolic link. A privileged process has no such folder. */
  own,
};

/** What tells a file's versions apart. */
struct FileState {
  std::string path;
  guint64 inode;
  gint64 size, seconds, nanoseconds;

  auto operator<=> (const FileState &) const = default;
};

/** A file that is not read; what() is "PATH cannot be read: WHY." */
class GST_CL_API FileFailure : public Failure {
public:
  FileFailure (const std::string &path, int code, const std::string &why, bool is_missing);

  /** Whether there is no such file. */
  bool is_missing;
};

/** A regular file of at most so many bytes, open for reading. */
class GST_CL_API InputFile {
public:
  /** Never waits, whatever stands there: folders, pipes and devices are refused, and so are larger files. Throws FileFailure
   *  (RESOURCE, NOT_FOUND, OPEN_READ or SETTINGS). */
  InputFile (const std::string &path, FileTrust trust, guint64 most_bytes);
  ~InputFile ();
  InputFile (const InputFile &) = delete;
  InputFile &operator= (const InputFile &) = delete;

  /** As it was when it was opened. */
  FileState state () const { return {path, found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec}; }
  guint64 size () const { return guint64 (found.st_size); }

  /** Reads all that is left. Throws FileFailure (RESOURCE, READ), also where the file has grown too large meanwhile. */
  std::string read ();
  /** Reads so many bytes; throws the same where there are fewer. */
  void read (void *to, size_t bytes);
  /** Has the file look as if it had just been written. */
  void touch () const { futimens (file, nullptr); }

private:
  size_t read_some (void *to, size_t bytes);
  [[noreturn]] void refuse (int code, const std::string &why) const;

  const std::string path;
  const guint64 most_bytes;
  int file = -1;
  struct stat found = {};
};

/** The content of such a file. Throws FileFailure. */
GST_CL_API std::string read_file (const std::string &path, FileTrust trust, guint64 most_bytes);

/** Puts content in the place of a file at once: whoever reads meanwhile sees the old one or the new one whole. Makes the folder
 *  where it is missing; one of this library's own, and files there, are open to this user alone. False where that fails. */
GST_CL_API bool write_file (const std::string &path, FileTrust trust, std::string_view content);

/** Keeps other processes that ask for the same out while it lives. Who waits for a second goes on without: files are written
 *  at once, so that an entry may be lost, and nothing is damaged. */
class GST_CL_API FolderLock {
public:
  /** folder: need not exist. */
  explicit FolderLock (const std::string &folder);
  ~FolderLock ();
  FolderLock (const FolderLock &) = delete;
  FolderLock &operator= (const FolderLock &) = delete;

private:
  int folder_file;
};

}  // namespace gst::cl
