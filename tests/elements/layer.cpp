/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "layer.hpp"

#include "suite.hpp"

#include <dlfcn.h>

namespace test {

bool
has_layer ()
{
  const char *path = g_getenv ("OPENCL_LAYERS");
  return path && g_strrstr (path, "cl-gl-layer");
}

guint64
layer_count (const char *counter)
{
  if (!has_layer ())
    return 0;
  void *layer = dlopen (g_getenv ("OPENCL_LAYERS"), RTLD_NOW | RTLD_NOLOAD);
  if (!layer)
    return 0;
  using Read = unsigned long long (*) (const char *);
  const auto read = (Read) dlsym (layer, "clGlLayerCounter");
  const guint64 value = read ? read (counter) : 0;
  dlclose (layer);
  return value;
}

void *
layer_symbol (const char *name)
{
  static void *const layer = dlopen (g_getenv ("OPENCL_LAYERS"), RTLD_NOW);
  test_check (layer, "the layer is not loaded: %s", g_getenv ("OPENCL_LAYERS"));
  return dlsym (layer, name);
}

}  // namespace test
