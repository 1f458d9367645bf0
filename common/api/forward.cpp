/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All of libgstcl-1.0. */
#include "api/api.hpp"

/* clang-format off */
#define GST_CL_CALL(result, name, parameters, arguments)                                                               \
  result name parameters { return gst::cl::api_table.name arguments; }
/* clang-format on */
GST_CL_FUNCTIONS (GST_CL_CALL)
