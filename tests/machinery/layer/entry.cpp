/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entry points for loaders: ocl-icd since 2.3 and the Khronos loader put the layers in OPENCL_LAYERS between the application
 * and the drivers. */
#include "objects.hpp"
#include "report.hpp"

namespace layer {

cl_icd_dispatch target;
static cl_icd_dispatch hooks;

}  // namespace layer

static bool
start ()
{
  layer::hook_info (layer::hooks);
  layer::hook_contexts (layer::hooks);
  layer::hook_images (layer::hooks);
  layer::hook_sharing (layer::hooks);
  layer::hook_external (layer::hooks);
  layer::hook_dmabuf (layer::hooks);
  layer::hook_commands (layer::hooks);
  layer::hook_host_copies (layer::hooks);
  layer::write_stats_at_exit ();
  return true;
}

DEFINE_LAYER ("GL sharing emulation", layer::target, layer::hooks, start)

/* For tests in the same process (README.md). */
LAYER_EXPORT unsigned long long CL_API_CALL
clGlLayerCounter (const char *key)
{
  return layer::counter (key);
}
