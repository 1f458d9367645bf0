/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames in CUDA memory for one stream, and the trial that decides how they pass. */
#pragma once

#include "core/verdict.hpp"
#include "interop/cuda.hpp"

#include <functional>

namespace gst::cl {

/** Whether OpenCL and CUDA exchange frames of the format on this device: proved by a round trip of a small frame, once per device
 *  and format. Never throws. */
GST_CL_API Verdict probe_cuda (const Device &device, GstVideoFormat format);

namespace cuda {

/** The same for the contexts of an element. Never throws. */
Verdict find_verdict (const std::shared_ptr<const Exchange> &exchange, GstVideoFormat format);

/** Called once for frames that the host copies, with the reason in words for a user. */
using Warn = std::function<void (const std::string &reason)>;

/** For frames of info where the trial passed. */
std::shared_ptr<MemoryLink> make_link (std::shared_ptr<const Exchange> exchange, const GstVideoInfo &info, Warn warn);
/** Where it failed: library and context may be null, and then there is no pool for results. */
std::shared_ptr<MemoryLink> make_staged_link (const Library *library, ContextOfCuda context);

}  // namespace cuda
}  // namespace gst::cl
