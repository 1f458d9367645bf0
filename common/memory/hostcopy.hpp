/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies between pages of the host. Several threads copy a large frame, because one core uses a fraction of the memory's
 * speed. */
#pragma once

#include <cstddef>
#include <span>

#include <glib.h>
#include <gst/cl/gstcl-prelude.h>

namespace gst::cl {

/** A copy of rows of bytes. The rows of from and to must not overlap. */
struct RowsCopy {
  const std::byte *from;
  std::ptrdiff_t from_stride;
  std::byte *to;
  std::ptrdiff_t to_stride;
  size_t row_bytes;
  size_t rows;
};

/** Threads that help the calling thread to copy. Thread-safe. */
class GST_CL_API HostCopier {
public:
  /** n_helpers: the number of threads besides the caller's; all callers share them. */
  explicit HostCopier (unsigned n_helpers);
  ~HostCopier ();
  HostCopier (const HostCopier &) = delete;
  HostCopier &operator= (const HostCopier &) = delete;

  /** Copies all of it, then returns. */
  void copy (std::span<const RowsCopy> copies);

  /** The process's copier, which uses half of the processors, at most eight. */
  static HostCopier &shared ();

private:
  const unsigned n_helpers;
  GThreadPool *const helpers;
};

}  // namespace gst::cl
