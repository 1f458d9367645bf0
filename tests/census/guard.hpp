/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of the layer that lays buffers against pages that nobody may touch. */
#pragma once

#include <CL/cl_icd.h>

namespace guard {

/** Where CL_CENSUS_GUARD is "end" or "begin": buffers end or begin where a page begins or ends that neither reads nor writes, so
 *  that a kernel on the host's processor dies when it goes too far. Not those over memory of the application's own. The process
 *  then says on standard error which buffer it was. "near-end": as "end", but buffers begin at multiples of 16 bytes, since kernels of
 *  the gpu back end load so many at once. */
cl_icd_dispatch before (const cl_icd_dispatch &next);

}  // namespace guard
