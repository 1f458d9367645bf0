/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GStreamer's CUDA memory and pools, in memory that OpenCL has imported. */
#pragma once

#include "interop/cuda.hpp"
#include "memory/link.hpp"

namespace gst::cl::cuda {

/** A CUDA context and a CL context on one device, and what lets the latter import. Immutable. */
struct Exchange {
  const Library &library;
  const ContextOfCuda cuda;
  const ContextRef context;
  const std::shared_ptr<const Importer> importer;
};

/** A pool of GstCudaMemory that OpenCL has imported; inactive, configured by the caller. A GstCudaBufferPool to everybody else. */
PoolRef new_pool (std::shared_ptr<const Exchange> exchange);

}  // namespace gst::cl::cuda
