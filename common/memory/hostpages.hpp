/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl_mem objects on the pages of other elements' memory. The GstMemory owns the object, so that a pool's buffer needs one only
 * once. */
#pragma once

#include "core/context.hpp"

#include <gst/gst.h>

namespace gst::cl {

/** The pages of a mapped memory as a buffer for kernels to read, on devices that compute in host pages. Adds new objects to
 *  allocations. Thread-safe. Throws cl::Error. */
::cl::Buffer wrap_pages (Context &context, const GstMapInfo &map, guint64 &allocations);

/** Pins the pages of a mapped memory, so that the device fetches from them without a copy by the driver; returns whether they
 *  are pinned. Pinning takes milliseconds, so it starts when a memory comes for the second time. Also false if the driver
 *  refuses. Adds new objects to allocations. Thread-safe. */
bool pin_pages (Context &context, const GstMapInfo &map, guint64 &allocations);

}  // namespace gst::cl
