/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layer between tests and OpenCL: the one that emulates GL sharing, or any other. */
#pragma once

#include <glib.h>

namespace test {

/* Whether OpenCL calls pass through it. */
bool has_layer ();

/* One of its counters since the start of the process; see tests/machinery/layer/README.md. 0 without the layer, or before the first
 * OpenCL call. */
guint64 layer_count (const char *counter);

/* A symbol of the loaded layer; fails the test if it does not exist. The layer stays loaded, because OpenCL's loader may open
 * it only later. */
void *layer_symbol (const char *name);

template <typename Function>
Function *
layer_function (const char *name)
{
  return reinterpret_cast<Function *> (layer_symbol (name));
}

}  // namespace test
