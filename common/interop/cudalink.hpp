/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Links for frames in CUDA memory, and the test that decides whether frames need the host. */
#pragma once

#include "core/verdict.hpp"
#include "interop/cuda.hpp"

#include <functional>

namespace gst::cl {

/** Whether OpenCL and CUDA can exchange frames of the format on this device. A small frame makes the round trip, once for each
 *  device and format. Never throws. */
GST_CL_API Verdict probe_cuda (const Device &device, GstVideoFormat format);

namespace cuda {

/** The same for the contexts of an element. Never throws. */
Verdict find_verdict (const std::shared_ptr<const Exchange> &exchange, GstVideoFormat format);

/** A function that is called once if the host copies frames, with the reason for a user. */
using Warn = std::function<void (const std::string &reason)>;

/** A link for frames of info, if the test passed. */
std::shared_ptr<MemoryLink> make_link (std::shared_ptr<const Exchange> exchange, const GstVideoInfo &info, Warn warn);
/** A link that copies through the host, if the test failed. library and cuda may be null: there is then no pool for
 *  results. */
std::shared_ptr<MemoryLink> make_staged_link (const ContextRef &context, const Library *library, ContextOfCuda cuda);

}  // namespace cuda
}  // namespace gst::cl
