/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of the layer. */
#pragma once

#include <CL/cl_icd.h>

/** Makes calls fail: see faults.hpp. */
namespace faults {
/** Hooks that may fail, in front of next's; next is not changed. */
cl_icd_dispatch before (const cl_icd_dispatch &next);
}  // namespace faults

/** Puts buffers beside inaccessible pages. */
namespace guard {
/** If CL_CENSUS_GUARD is "end" or "begin", buffers end or begin at an inaccessible page, so that a kernel on the CPU crashes
 *  when it reads or writes too far; the process then prints on standard error which buffer it was. Buffers over the
 *  application's own memory are excluded. "near-end" is like "end", but buffers begin at multiples of 16 bytes, because kernels
 *  of the gpu back end load that many bytes at once. */
cl_icd_dispatch before (const cl_icd_dispatch &next);
}  // namespace guard
