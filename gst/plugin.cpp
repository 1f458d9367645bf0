/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plugin: registers every element, with or without a device, and requests a new scan when an OpenCL driver is installed or removed. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "core/diskcache.hpp"
#include "core/opendevice.hpp"
#include "core/sources.hpp"

#include <gst/gst.h>

#define CL_ELEMENT(name) GST_ELEMENT_REGISTER_DECLARE (name)
#include "element-list.hpp"
#undef CL_ELEMENT

namespace gst::cl {

/* The files of the folders beside kernels/lib. */
extern const std::span<const EmbeddedSource> plugin_kernels;

}  // namespace gst::cl

static gboolean
plugin_init (GstPlugin *plugin)
{
  /* the loaders' search paths: ocl-icd reads OCL_ICD_VENDORS, Khronos' loader OCL_ICD_FILENAMES as well */
  gst_plugin_add_dependency_simple (plugin, "OCL_ICD_VENDORS:OCL_ICD_FILENAMES", "/etc/OpenCL/vendors", ".icd",
      GST_PLUGIN_DEPENDENCY_FLAG_FILE_NAME_IS_SUFFIX);

  /* before the first device is opened: the application has the fewest threads now, and threads may read the environment */
  gst::cl::disk_cache::ensure_driver_folder ();

  gst::cl::add_sources (gst::cl::plugin_kernels);
  gst::cl::OpenDevice::end_builds_first ();

  bool registered = true;
#define CL_ELEMENT(name) registered = GST_ELEMENT_REGISTER (name, plugin) && registered;
#include "element-list.hpp"
#undef CL_ELEMENT
  return registered;
}

/* As in all modules of GStreamer, the version is GStreamer's at build time: gst-inspect-1.0
 * --exists and applications (gst_registry_check_feature_version()) compare it with GStreamer's. The plugin's own version
 * follows the name of the package. */
GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, cl, "Real-time video filters written as OpenCL kernels", plugin_init,
    GSTREAMER_VERSION, "LGPL", PACKAGE_NAME " " PACKAGE_VERSION, PACKAGE_ORIGIN)
