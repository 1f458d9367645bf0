/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of the layer that replaces drivers' answers: see cl_census_answer() in census.hpp. */
#pragma once

#include <CL/cl_icd.h>

namespace answers {

/** Hooks for queries about devices and platforms, in front of next's. */
cl_icd_dispatch before (const cl_icd_dispatch &next);

}  // namespace answers
