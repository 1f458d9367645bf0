/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dma-bufs as frames of an OpenCL context: kernels use the memory where it lies. */
#pragma once

#include "core/verdict.hpp"
#include "interop/dmabuffile.hpp"
#include "memory/link.hpp"

#include <atomic>
#include <optional>

namespace gst::cl {

using MemoryRef = Ref<GstMemory, ref_mini_object, unref_mini_object>;

/** The extension by which a driver takes dma-bufs: cl_khr_external_memory_dma_buf, else cl_arm_import_memory_dma_buf. */
class DmaBufDriver {
public:
  /** Null where there is none; why_not then names it in words for a user. */
  static std::shared_ptr<const DmaBufDriver> create (const Device &device, std::string &why_not);

  /** Throws cl::Error. */
  std::unique_ptr<FrameBuffer> import (const ContextRef &context, const DmaBuf &dmabuf) const;

private:
  using ImportArm = cl_mem (CL_API_CALL *) (cl_context, cl_mem_flags, const intptr_t *, void *, size_t, cl_int *);

  std::shared_ptr<const Importer> importer;
  ImportArm import_arm = nullptr;
};

/** The whole of a dma-buf, and its FrameBuffer in a context. */
struct ImportedDmaBuf {
  DmaBuf file;
  /** Has the FrameBuffer. */
  MemoryRef memory;
  cl_context context;
  /** Whether a trial has shown that others see what kernels write. */
  std::atomic<bool> may_be_written = false;

  FrameBuffer &frame () const { return *frame_buffer_of (memory.get ()); }
};

/** What a GstDmaBufMemory is in a context, where a trial with a small part of the first one of its exporter, once per device and
 *  direction, has shown that the driver keeps its word. It is kept with the memory, and counted when it is new. Null where it cannot be used; why_not then
 *  says why in words for a user, or is empty where the memory holds nothing but 0, which proves nothing. Never throws. */
std::shared_ptr<ImportedDmaBuf> find_dmabuf (const ContextRef &context, const std::shared_ptr<const DmaBufDriver> &driver,
    GstMemory *memory, bool writes, guint64 &imports, std::string &why_not);

/** The same trial with memory of Linux's own. Never throws. */
GST_CL_API Verdict probe_dmabuf (const ContextRef &context, bool writes);

/** Lets a kernel read the memory, and compares every byte with what the host sees there; or lets it write, and looks at that from
 *  the host, after which the memory's content is lost. Large memory is tried at both ends. Nothing where all that is read is 0,
 *  which proves nothing. Throws Failure where the host cannot look, cl::Error. */
std::optional<Verdict> try_dmabuf (const ContextRef &context, const ImportedDmaBuf &imported, bool writes);

/** Writes from the host what is different in every place. Throws Failure. */
void fill_dmabuf (const DmaBuf &dmabuf);

/** An active pool of frames of info in dma-bufs of Linux's own. Throws Failure. */
PoolRef create_dmabuf_pool (const GstVideoInfo &info, guint min_buffers);

}  // namespace gst::cl
