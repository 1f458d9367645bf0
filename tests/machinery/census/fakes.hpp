/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of the layer that replaces kernels: see cl_census_skip_kernels(). */
#pragma once

#include <CL/cl_icd.h>

#include <string>

namespace fakes {

/** The text of a program that was made while kernels are left out. */
std::string text_of (cl_program program);

cl_icd_dispatch before (const cl_icd_dispatch &next);

}  // namespace fakes
