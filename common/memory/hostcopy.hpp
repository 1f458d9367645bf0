/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames in pages of the host: their copies, and cl_mem objects on them. */
#pragma once

#include "core/context.hpp"

#include <cstddef>
#include <span>

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

/** Threads that help the calling thread to copy, because one core cannot use the memory's full speed. Thread-safe. */
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

/* The GstMemory owns the cl_mem object on its pages, so that a pool's buffer needs one only once. */

/** The pages of a mapped memory as a buffer for kernels to read, on devices that compute in host pages. Adds new objects to
 *  allocations. Thread-safe. Throws cl::Error. */
::cl::Buffer wrap_pages (Context &context, const GstMapInfo &map, guint64 &allocations);

/** Pins the pages of a mapped memory, so that the device fetches from them without a copy by the driver; returns whether they
 *  are pinned. Pinning takes milliseconds, so it starts when a memory comes for the second time. Also false if the driver
 *  refuses. Adds new objects to allocations. Thread-safe. */
bool pin_pages (Context &context, const GstMapInfo &map, guint64 &allocations);

}  // namespace gst::cl
