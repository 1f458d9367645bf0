/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cldownload: copies frames from memory:OpenCLMemory to system memory or GL memory. Filters do this themselves if the next
 * element needs it; cldownload lets you choose where the copy happens. */
#include "filter/gstcltransfer.hpp"

namespace gst::cl::cldownload {

using gst::cl::MemoryKind;

struct GstClDownload {
  GstClTransfer parent;
};

struct GstClDownloadClass {
  GstClTransferClass parent_class;
};

G_DEFINE_TYPE (GstClDownload, gst_cl_download, GST_TYPE_CL_TRANSFER)
GST_ELEMENT_REGISTER_DEFINE (cldownload, "cldownload", GST_RANK_NONE, gst_cl_download_get_type ())

static void
gst_cl_download_class_init (GstClDownloadClass *klass)
{
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "OpenCL downloader", "Filter/Video/Hardware",
      "Copies video from OpenCL memory to system or GL memory", "The gst-plugins-cl developers");
  gst_cl_base_transform_class_set_memory (
      &klass->parent_class.parent_class, gst::cl::all_memory_kinds (), gst::cl::foreign_memory_kinds ());
}

static void
gst_cl_download_init (GstClDownload *)
{
}

}  // namespace gst::cl::cldownload
