/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cldownload
 * @title: cldownload
 * @short_description: brings video from OpenCL memory to the host
 *
 * Turns `memory:OpenCLMemory` into system memory. The copy to the host starts at once and is waited for by whoever
 * maps the frame, so `cldownload ! queue` overlaps it with other work; on a CPU device there is no copy.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clupload ! clmedian ! cldownload ! videoconvert ! autovideosink
 * ]|
 */
#include "filter/gstclbasetransform.hpp"

using namespace gst::cl;

struct GstClDownload {
  GstClBaseTransform parent;
};

struct GstClDownloadClass {
  GstClBaseTransformClass parent_class;
};

G_DEFINE_TYPE (GstClDownload, gst_cl_download, GST_TYPE_CL_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE (cldownload, "cldownload", GST_RANK_NONE, gst_cl_download_get_type ())

/* The memory is one that maps: only the caps change. */
static GstFlowReturn
gst_cl_download_prepare_output_buffer (GstBaseTransform *base, GstBuffer *in, GstBuffer **out)
{
  FrameBuffer *frame = gst_buffer_n_memory (in) == 1 ? frame_buffer_of (gst_buffer_peek_memory (in, 0)) : nullptr;
  *out = in;
  return !frame || run_guarded (GST_ELEMENT (base), [frame] { frame->prefetch (); }) ? GST_FLOW_OK : GST_FLOW_ERROR;
}

static GstFlowReturn
gst_cl_download_transform (GstBaseTransform *, GstBuffer *, GstBuffer *)
{
  return GST_FLOW_OK;
}

static void
gst_cl_download_class_init (GstClDownloadClass *klass)
{
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "OpenCL downloader", "Filter/Video/Hardware",
      "Brings video from OpenCL memory to the host", "The gst-plugins-cl developers");
  gst_cl_base_transform_class_set_memory (&klass->parent_class, {MemoryKind::opencl, MemoryKind::system},
      {MemoryKind::system});
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  base->prepare_output_buffer = gst_cl_download_prepare_output_buffer;
  base->transform = gst_cl_download_transform;
  base->passthrough_on_same_caps = TRUE;
}

static void
gst_cl_download_init (GstClDownload *)
{
}
