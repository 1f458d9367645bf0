/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl_mem objects over the pages of other elements' memory. They are kept with the GstMemory, so that buffers which a pool
 * recycles need no new one. */
#pragma once

#include "core/context.hpp"

#include <gst/gst.h>

namespace gst::cl {

/** The pages of a mapped memory as a buffer that kernels read, for devices that compute in host pages. Adds what it creates
 *  to allocations. Thread-safe. Throws. */
::cl::Buffer wrap_pages (Context &context, const GstMapInfo &map, guint64 &allocations);

/** Whether the device can fetch from the pages of a mapped memory without the driver copying them first. That costs
 *  milliseconds once, so it is done for memory that comes again: the first time, and for memory that the driver refuses, the
 *  answer is no. Adds what it creates to allocations. Thread-safe. */
bool pin_pages (Context &context, const GstMapInfo &map, guint64 &allocations);

}  // namespace gst::cl
