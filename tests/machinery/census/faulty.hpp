/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of the layer that makes calls fail: see faults.hpp. */
#pragma once

#include <CL/cl_icd.h>

namespace faults {

/** Hooks that may fail, in front of next's; next is not changed. */
cl_icd_dispatch before (const cl_icd_dispatch &next);

}  // namespace faults
