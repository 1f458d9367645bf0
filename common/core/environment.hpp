/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Environment variables, which are read here alone. */
#pragma once

#include <gst/cl/gstcl-prelude.h>

namespace gst::cl {

/** The value of a variable, or null. In a process that has more rights than its caller (setuid, setgid, file capabilities) always
 *  null: the environment there is the caller's. Any thread, as long as nobody changes the environment. */
GST_CL_API const char *environment (const char *name);

/** Whether this process has more rights than its caller. */
GST_CL_API bool is_privileged ();

}  // namespace gst::cl
