/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entry points for loaders: ocl-icd since 2.3 and the Khronos loader put the layers in OPENCL_LAYERS between the application
 * and the drivers. */
#include <CL/cl_layer.h>

#include <algorithm>
#include <cstring>

#include "objects.hpp"
#include "report.hpp"

namespace layer {

namespace {

cl_icd_dispatch target;
cl_icd_dispatch hooks;
constexpr cl_uint n_functions = sizeof (cl_icd_dispatch) / sizeof (void *);

}  // namespace

const cl_icd_dispatch &
next ()
{
  return target;
}

}  // namespace layer

#define LAYER_EXPORT [[gnu::visibility ("default")]]

extern "C" {

LAYER_EXPORT cl_int CL_API_CALL
clGetLayerInfo (cl_layer_info name, std::size_t capacity, void *value, std::size_t *size_ret)
{
  static constexpr char layer_name[] = "GL sharing emulation";
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  switch (name) {
    case CL_LAYER_API_VERSION:
      return layer::give (&version, sizeof version, capacity, value, size_ret);
    case CL_LAYER_NAME:
      return layer::give (layer_name, sizeof layer_name, capacity, value, size_ret);
  }
  return CL_INVALID_VALUE;
}

LAYER_EXPORT cl_int CL_API_CALL
clInitLayer (cl_uint n, const cl_icd_dispatch *target, cl_uint *n_ret, const cl_icd_dispatch **dispatch_ret)
{
  if (!target || !n_ret || !dispatch_ret)
    return CL_INVALID_VALUE;
  std::memcpy (&layer::target, target, std::min (n, layer::n_functions) * sizeof (void *));
  layer::hook_info (layer::hooks);
  layer::hook_contexts (layer::hooks);
  layer::hook_images (layer::hooks);
  layer::hook_sharing (layer::hooks);
  layer::hook_external (layer::hooks);
  layer::hook_dmabuf (layer::hooks);
  layer::hook_commands (layer::hooks);
  layer::hook_host_copies (layer::hooks);
  layer::write_stats_at_exit ();
  *n_ret = layer::n_functions;
  *dispatch_ret = &layer::hooks;
  return CL_SUCCESS;
}

/* Newer loaders call this function; its properties do not affect this layer. */
LAYER_EXPORT cl_int CL_API_CALL
clInitLayerWithProperties (
    cl_uint n, const cl_icd_dispatch *target, cl_uint *n_ret, const cl_icd_dispatch **dispatch_ret, const void *)
{
  return clInitLayer (n, target, n_ret, dispatch_ret);
}

LAYER_EXPORT cl_int CL_API_CALL
clDeinitLayer ()
{
  return CL_SUCCESS;
}

/* For tests in the same process: see counters.hpp. */
LAYER_EXPORT unsigned long long CL_API_CALL
clGlLayerCounter (const char *key)
{
  return layer::counter (key);
}
}
