/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of the layer that breaks calls: see faults.hpp. */
#pragma once

#include <CL/cl_icd.h>

namespace faults {

/** Hooks that may fail, before those of next; next stays as it is. */
cl_icd_dispatch before (const cl_icd_dispatch &next);

}  // namespace faults
