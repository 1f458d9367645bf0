/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Khronos' C++ bindings, set up once: OpenCL 1.2 with exceptions. */
#pragma once

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>
