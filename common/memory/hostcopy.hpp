/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies between pages of the host, by several threads where a frame is large: one processor core moves a fraction of what
 * the memory and the bus behind it can. */
#pragma once

#include <cstddef>
#include <span>

#include <glib.h>
#include <gst/cl/gstcl-prelude.h>

namespace gst::cl {

/** Rows of bytes. The rows of from and to do not overlap. */
struct RowsCopy {
  const std::byte *from;
  std::ptrdiff_t from_stride;
  std::byte *to;
  std::ptrdiff_t to_stride;
  size_t row_bytes;
  size_t rows;
};

/** Threads that copy together with whoever asks. Thread-safe. */
class GST_CL_API HostCopier {
public:
  /** n_helpers: threads beside the caller's, shared by all callers; 0 for none. */
  explicit HostCopier (unsigned n_helpers);
  ~HostCopier ();
  HostCopier (const HostCopier &) = delete;
  HostCopier &operator= (const HostCopier &) = delete;

  /** Returns when all of it is done. */
  void copy (std::span<const RowsCopy> copies);

  /** The process's, which uses half of the processors, at most eight. */
  static HostCopier &shared ();

private:
  const unsigned n_helpers;
  GThreadPool *const helpers;
};

}  // namespace gst::cl
