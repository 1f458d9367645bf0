/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dma-bufs: memory of a device, which Linux gives to other devices as a file descriptor. */
#pragma once

#include <gst/cl/gstcl-prelude.h>

#include <sys/types.h>

#include <compare>
#include <cstddef>
#include <string>

namespace gst::cl {

/** Owns a descriptor of a dma-buf. All descriptors of the same memory have the same identity. */
class DmaBuf {
public:
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;

    auto operator<=> (const Identity &) const = default;
  };

  /** Duplicates fd. Throws Failure if fd is closed, or is not memory. */
  explicit DmaBuf (int fd);
  DmaBuf (const DmaBuf &other) : DmaBuf (other.fd) {}
  DmaBuf &operator= (const DmaBuf &) = delete;
  ~DmaBuf ();

  int descriptor () const { return fd; }
  const Identity &identity () const { return file; }
  size_t size () const { return n_bytes; }
  /** The name of the Linux driver that allocated the memory; "" if unknown. */
  std::string exporter () const;

  /** Waits on the host until other devices have finished writing the memory; with `writes`, also reading it. Throws Failure
   *  after ten seconds. */
  void wait (bool writes) const;

private:
  int fd;
  Identity file;
  size_t n_bytes = 0;
};

/** Allocates a dma-buf of at least size bytes from a heap of Linux (/dev/dma_heap/system, /dev/udmabuf), and returns its
 *  descriptor, which the caller owns. Throws Failure (RESOURCE, NOT_FOUND). */
GST_CL_API int allocate_dmabuf (size_t size);

}  // namespace gst::cl
