/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internal to the layer. */
#pragma once

#include <CL/cl_icd.h>

namespace census {

/** Puts counting functions in front of hooks. */
void hook_lives (cl_icd_dispatch &hooks);

}  // namespace census
