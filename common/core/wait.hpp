/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting for commands that may never end. */
#pragma once

#include "core/opencl.hpp"

#include <gst/cl/gstcl-prelude.h>

#include <functional>

namespace gst::cl {

/** Whether a command is done, or has failed. */
GST_CL_API bool is_done (const ::cl::Event &event);

/** Waits until a command is done. Throws ::cl::Error where it failed, of which NVIDIA's clWaitForEvents() says nothing. */
GST_CL_API void wait_for (const ::cl::Event &event);

/** Waits until a command is done; false where give_up, which is asked every millisecond or so, says so first. Throws where the
 *  command failed. */
GST_CL_API bool wait_unless (const ::cl::Event &event, const std::function<bool ()> &give_up);

}  // namespace gst::cl
