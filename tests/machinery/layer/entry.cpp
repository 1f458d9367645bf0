/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entry points for loaders: ocl-icd since 2.3 and the Khronos loader put the layers in OPENCL_LAYERS between the application
 * and the drivers. */
#include "objects.hpp"
#include "report.hpp"

namespace layer {

namespace {

cl_icd_dispatch target;
cl_icd_dispatch hooks;

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
  return give_layer_info ("GL sharing emulation", name, capacity, value, size_ret);
}

LAYER_EXPORT cl_int CL_API_CALL
clInitLayer (cl_uint n, const cl_icd_dispatch *target, cl_uint *n_ret, const cl_icd_dispatch **dispatch_ret)
{
  if (!enter_layer (n, target, n_ret, dispatch_ret, layer::target, layer::hooks))
    return CL_INVALID_VALUE;
  layer::hook_info (layer::hooks);
  layer::hook_contexts (layer::hooks);
  layer::hook_images (layer::hooks);
  layer::hook_sharing (layer::hooks);
  layer::hook_external (layer::hooks);
  layer::hook_dmabuf (layer::hooks);
  layer::hook_commands (layer::hooks);
  layer::hook_host_copies (layer::hooks);
  layer::write_stats_at_exit ();
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
