/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layer that OpenCL runs through, as tests see it: the one that emulates GL sharing, and any. */
#pragma once

#include <glib.h>

namespace test {

/* Whether OpenCL runs through it. */
bool has_layer ();

/* One of its counters since the process began, see tests/layer/README.md. 0 where OpenCL does not run through it, or has
 * not been used yet. */
guint64 layer_count (const char *counter);

/* What the layer that is loaded has under that name; fails the test where there is none. The layer stays loaded: OpenCL's loader may
 * come to it only later. */
void *layer_symbol (const char *name);

template <typename Function>
Function *
layer_function (const char *name)
{
  return reinterpret_cast<Function *> (layer_symbol (name));
}

}  // namespace test
