/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of the layer that answers for drivers: see cl_census_answer() in census.hpp. */
#pragma once

#include <CL/cl_icd.h>

namespace answers {

/** Hooks of questions about devices and platforms, before those of next. */
cl_icd_dispatch before (const cl_icd_dispatch &next);

}  // namespace answers
