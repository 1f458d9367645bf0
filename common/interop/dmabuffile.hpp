/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linux's dma-bufs, memory of any device, as files. */
#pragma once

#include <gst/cl/gstcl-prelude.h>

#include <sys/types.h>

#include <compare>
#include <cstddef>
#include <string>

namespace gst::cl {

/** A descriptor of a dma-buf. Other descriptors of the same memory have the same identity. */
class DmaBuf {
public:
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;

    auto operator<=> (const Identity &) const = default;
  };

  /** Looks at somebody's descriptor, of which it makes its own. Throws Failure where it is closed, or no memory. */
  explicit DmaBuf (int fd);
  DmaBuf (const DmaBuf &other) : DmaBuf (other.fd) {}
  DmaBuf &operator= (const DmaBuf &) = delete;
  ~DmaBuf ();

  int descriptor () const { return fd; }
  const Identity &identity () const { return file; }
  size_t size () const { return n_bytes; }
  /** The kernel's driver that made it; "" where it does not say. */
  std::string exporter () const;

  /** Waits on the host until others are done with what they do to the memory: writers only, or all where it will be written.
   *  Throws Failure where that takes too long. */
  void wait (bool writes) const;

private:
  int fd;
  Identity file;
  size_t n_bytes = 0;
};

/** A dma-buf of at least that size from a heap of Linux (/dev/dma_heap/system, /dev/udmabuf). Throws Failure (RESOURCE,
 *  NOT_FOUND). */
GST_CL_API int allocate_dmabuf (size_t size);

}  // namespace gst::cl
