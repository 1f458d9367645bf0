/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clupload: copies frames from system memory or GL memory to memory:OpenCLMemory. Filters do this themselves; clupload lets you
 * choose where the copy happens, and serves elements and applications that need OpenCL memory. */
#include "filter/gstcltransfer.hpp"

namespace gst::cl::clupload {

using gst::cl::MemoryKind;

struct GstClUpload {
  GstClTransfer parent;
};

struct GstClUploadClass {
  GstClTransferClass parent_class;
};

G_DEFINE_TYPE (GstClUpload, gst_cl_upload, GST_TYPE_CL_TRANSFER)
GST_ELEMENT_REGISTER_DEFINE (clupload, "clupload", GST_RANK_NONE, gst_cl_upload_get_type ())

static void
gst_cl_upload_class_init (GstClUploadClass *klass)
{
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "OpenCL uploader", "Filter/Video/Hardware",
      "Copies video to OpenCL memory", "The gst-plugins-cl developers");
  gst_cl_base_transform_class_set_memory (
      &klass->parent_class.parent_class, gst::cl::all_memory_kinds (), {MemoryKind::opencl});
}

static void
gst_cl_upload_init (GstClUpload *)
{
}

}  // namespace gst::cl::clupload
