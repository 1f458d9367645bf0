/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Environment variables. All code of the library reads them here. */
#pragma once

#include <gst/cl/gstcl-prelude.h>

namespace gst::cl {

/** The value of a variable, or null. Always null in a process that has more rights than its caller (setuid, setgid, file
 *  capabilities), because the caller sets its environment. Any thread, while no thread changes the environment. */
GST_CL_API const char *environment (const char *name);

/** Whether this process has more rights than its caller. */
GST_CL_API bool is_privileged ();

}  // namespace gst::cl
