/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clupload: copies frames from system memory or GL memory to memory:OpenCLMemory; cldownload: back. Filters do this themselves; these
 * elements let you choose where the copy happens, and serve elements and applications that need OpenCL memory. */
#include "filter/gstcltransfer.hpp"

namespace gst::cl {

static void
describe (GstClTransferClass *klass, const char *long_name, const char *description, const std::vector<MemoryKind> &result)
{
  gst_element_class_set_static_metadata (
      GST_ELEMENT_CLASS (klass), long_name, "Filter/Video/Hardware", description, "The gst-plugins-cl developers");
  gst_cl_base_transform_class_set_memory (&klass->parent_class, all_memory_kinds (), result);
}

#define DEFINE(TypeName, type_name, element, long_name, description, result)                                                   \
  struct TypeName {                                                                                                            \
    GstClTransfer parent;                                                                                                      \
  };                                                                                                                           \
  struct TypeName##Class {                                                                                                     \
    GstClTransferClass parent_class;                                                                                           \
  };                                                                                                                           \
  G_DEFINE_TYPE (TypeName, type_name, GST_TYPE_CL_TRANSFER)                                                                    \
  GST_ELEMENT_REGISTER_DEFINE (element, #element, GST_RANK_NONE, type_name##_get_type ())                                      \
  static void type_name##_class_init (TypeName##Class *klass)                                                                  \
  {                                                                                                                            \
    describe (&klass->parent_class, long_name, description, result);                                                           \
  }                                                                                                                            \
  static void type_name##_init (TypeName *) {}

DEFINE (GstClUpload, gst_cl_upload, clupload, "OpenCL uploader", "Copies video to OpenCL memory", {MemoryKind::opencl})
DEFINE (GstClDownload, gst_cl_download, cldownload, "OpenCL downloader",
    "Copies video from OpenCL memory to system or GL memory", foreign_memory_kinds ())

}  // namespace gst::cl

#undef DEFINE
