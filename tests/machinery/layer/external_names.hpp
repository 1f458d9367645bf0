/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Khronos renamed these; headers define one pair or the other. */
#pragma once

#include <CL/cl_ext.h>

#ifndef CL_MEM_DEVICE_HANDLE_LIST_KHR
#define CL_MEM_DEVICE_HANDLE_LIST_KHR CL_DEVICE_HANDLE_LIST_KHR
#define CL_MEM_DEVICE_HANDLE_LIST_END_KHR CL_DEVICE_HANDLE_LIST_END_KHR
#endif
