/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waits for commands that may never end. */
#pragma once

#include "core/opencl.hpp"

#include <gst/cl/gstcl-prelude.h>

#include <functional>

namespace gst::cl {

/** Whether a command is complete or has failed. */
GST_CL_API bool is_done (const ::cl::Event &event);

/** Waits until a command is complete. Throws ::cl::Error if it failed, which NVIDIA's clWaitForEvents() does not report. */
GST_CL_API void wait_for (const ::cl::Event &event);

/** Waits until a command is complete. Calls give_up at least every millisecond or so, and returns false when it returns true.
 *  Throws ::cl::Error if the command failed. */
GST_CL_API bool wait_unless (const ::cl::Event &event, const std::function<bool ()> &give_up);

}  // namespace gst::cl
