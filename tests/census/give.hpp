/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a layer answers OpenCL's questions. */
#pragma once

#include <CL/cl_layer.h>

#include <cstring>

/** An answer of size bytes to a call that asks for at most capacity bytes at value, for how many there are at size_ret, or for one of these. */
inline cl_int
give (const void *answer, size_t size, size_t capacity, void *value, size_t *size_ret)
{
  if (value && capacity < size)
    return CL_INVALID_VALUE;
  if (value)
    std::memcpy (value, answer, size);
  if (size_ret)
    *size_ret = size;
  return CL_SUCCESS;
}

/** clGetLayerInfo() of a layer of this name. */
inline cl_int
give_layer_info (const char *layer, cl_layer_info what, size_t capacity, void *value, size_t *size_ret)
{
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (what == CL_LAYER_API_VERSION)
    return give (&version, sizeof version, capacity, value, size_ret);
  return what == CL_LAYER_NAME ? give (layer, std::strlen (layer) + 1, capacity, value, size_ret) : CL_INVALID_VALUE;
}
