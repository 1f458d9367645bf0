/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The OpenCL layer that emulates GL sharing, as tests see it. */
#pragma once

#include <glib.h>

namespace test {

/* Whether OpenCL runs through it. */
bool has_layer ();

/* One of its counters since the process began, see tests/layer/README.md. 0 where OpenCL does not run through it, or has
 * not been used yet. */
guint64 layer_count (const char *counter);

}  // namespace test
