/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dma-bufs: memory of a device, which Linux gives to other devices as a file descriptor. They are imported into an OpenCL context,
 * so that kernels use them without a copy. */
#pragma once

#include "core/verdict.hpp"
#include "memory/link.hpp"

#include <sys/types.h>

#include <atomic>
#include <compare>

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
  DmaBuf (const DmaBuf &other) : DmaBuf (other.descriptor ()) {}

  int descriptor () const { return own.get (); }
  const Identity &identity () const { return file; }
  size_t size () const { return n_bytes; }
  /** The name of the Linux driver that allocated the memory; "" if unknown. */
  std::string exporter () const;

  /** Waits on the host until other devices have finished writing the memory; with `writes`, also reading it. Throws Failure
   *  after ten seconds. */
  void wait (bool writes) const;

private:
  const Descriptor own;
  Identity file;
  size_t n_bytes = 0;
};

/** Allocates a dma-buf of at least size bytes from a heap of Linux (/dev/dma_heap/system, /dev/udmabuf), and returns its
 *  descriptor, which the caller owns. Throws Failure (RESOURCE, NOT_FOUND). */
GST_CL_API int allocate_dmabuf (size_t size);

/** Imports dma-bufs by cl_khr_external_memory_dma_buf or cl_arm_import_memory_dma_buf. Immutable. */
class DmaBufDriver {
public:
  /** Null if the device has neither extension; why_not then says so to a user. */
  static std::shared_ptr<const DmaBufDriver> create (const Device &device, std::string &why_not);

  /** Imports the whole dma-buf. Throws cl::Error. */
  std::unique_ptr<FrameBuffer> import (const ContextRef &context, const DmaBuf &dmabuf) const;

private:
  using ImportArm = cl_mem (CL_API_CALL *) (cl_context, cl_mem_flags, const intptr_t *, void *, size_t, cl_int *);

  std::shared_ptr<const Importer> importer;
  ImportArm import_arm = nullptr;
};

/** A whole dma-buf, and its FrameBuffer in a context. */
struct ImportedDmaBuf {
  DmaBuf file;
  /** The memory that owns the FrameBuffer. */
  Ref<GstMemory> memory;
  cl_context context;
  /** Whether a test has shown that other devices see the kernels' results. */
  std::atomic<bool> may_be_written = false;

  FrameBuffer &frame () const { return *frame_buffer_of (memory.get ()); }
};

/** Finds or makes the import of a GstDmaBufMemory into a context. The memory owns the import; imports counts new ones. For each
 *  device, exporter and direction, the first memory is tested with a small part of its contents. Null if the import cannot be
 *  used: why_not says why for a user, or is empty if the memory held only zeros, so that the test proved nothing. Never
 *  throws. */
std::shared_ptr<ImportedDmaBuf> find_dmabuf (const ContextRef &context, const std::shared_ptr<const DmaBufDriver> &driver,
    GstMemory *memory, bool writes, guint64 &imports, std::string &why_not);

/** The same test with memory from a heap of Linux. Never throws. */
GST_CL_API Verdict probe_dmabuf (const ContextRef &context, bool writes);

/** An active pool of frames of info in dma-bufs from a heap of Linux. Throws Failure. */
PoolRef create_dmabuf_pool (const GstVideoInfo &info, guint min_buffers);

}  // namespace gst::cl
