/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps: what the elements take, and how memory features of the two pads go together. */
#pragma once

#include <gst/cl/gstclmemory.h>

#include <string>
#include <utility>
#include <vector>

namespace gst::cl {

/** Memory features by preference: device memory first, since only that never crosses to the host. */
enum class MemoryKind { opencl, system };

/** The caps of every format on these kinds of memory, each with and without an overlay composition meta. */
GST_CL_API GstCaps *make_template_caps (const std::vector<MemoryKind> &kinds);

/** caps with their memory feature replaced by each of kinds in turn; other features and all fields stay. */
GST_CL_API GstCaps *with_memory (GstCaps *caps, const std::vector<MemoryKind> &kinds);

/** Whether these fixed caps ask for OpenCL memory. */
GST_CL_API bool has_opencl_memory (GstCaps *caps);

}  // namespace gst::cl
