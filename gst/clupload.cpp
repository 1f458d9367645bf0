/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clupload
 * @title: clupload
 * @short_description: brings video into OpenCL memory
 *
 * Turns video in system memory into `memory:OpenCLMemory`. The filters do that by themselves where they have to;
 * the element is for placing the transfer, for instance before a tee. An upstream element that uses the pool it is
 * offered writes straight into pinned pages of the device, and then nothing is copied here.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clupload ! clmedian ! cldownload ! videoconvert ! autovideosink
 * ]|
 */
#include "filter/gstclbasetransform.hpp"

using namespace gst::cl;

struct GstClUpload {
  GstClBaseTransform parent;
  FrameMapper *mapper;
};

struct GstClUploadClass {
  GstClBaseTransformClass parent_class;
};

G_DEFINE_TYPE (GstClUpload, gst_cl_upload, GST_TYPE_CL_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE (clupload, "clupload", GST_RANK_NONE, gst_cl_upload_get_type ())
#define GST_CL_UPLOAD(obj) (reinterpret_cast<GstClUpload *> (obj))

static gboolean
gst_cl_upload_stop (GstBaseTransform *base)
{
  delete std::exchange (GST_CL_UPLOAD (base)->mapper, nullptr);
  return TRUE;
}

static gboolean
gst_cl_upload_set_caps (GstBaseTransform *base, GstCaps *in_caps, GstCaps *)
{
  GstVideoInfo info;
  if (!gst_video_info_from_caps (&info, in_caps))
    return FALSE;
  gst_cl_upload_stop (base);
  return run_guarded (GST_ELEMENT (base), [&] {
    GST_CL_UPLOAD (base)->mapper =
        new FrameMapper (gst_cl_base_transform_get_context (GST_CL_BASE_TRANSFORM (base)), info);
  });
}

static GstFlowReturn
gst_cl_upload_prepare_output_buffer (GstBaseTransform *base, GstBuffer *in, GstBuffer **out)
{
  GstClUpload *self = GST_CL_UPLOAD (base);
  if (!self->mapper)
    return GST_FLOW_NOT_NEGOTIATED;
  BufferRef uploaded;
  const bool done = run_guarded (GST_ELEMENT (self), [&] {
    uploaded = self->mapper->on_device (in);
    frame_buffer_of (gst_buffer_peek_memory (uploaded.get (), 0))->upload ();
  });
  if (!done)
    return GST_FLOW_ERROR;
  if (uploaded.get () == in) {
    *out = in;
    return GST_FLOW_OK;
  }
  *out = uploaded.release ();
  GST_BASE_TRANSFORM_CLASS (gst_cl_upload_parent_class)->copy_metadata (base, in, *out);
  return GST_FLOW_OK;
}

static GstFlowReturn
gst_cl_upload_transform (GstBaseTransform *, GstBuffer *, GstBuffer *)
{
  return GST_FLOW_OK; /* done when the output buffer was made */
}

static void
gst_cl_upload_class_init (GstClUploadClass *klass)
{
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "OpenCL uploader", "Filter/Video/Hardware",
      "Brings video into OpenCL memory", "The gst-plugins-cl developers");
  gst_cl_base_transform_class_set_memory (&klass->parent_class, {MemoryKind::opencl, MemoryKind::system},
      {MemoryKind::opencl});
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  base->stop = gst_cl_upload_stop;
  base->set_caps = gst_cl_upload_set_caps;
  base->prepare_output_buffer = gst_cl_upload_prepare_output_buffer;
  base->transform = gst_cl_upload_transform;
  base->passthrough_on_same_caps = TRUE;
}

static void
gst_cl_upload_init (GstClUpload *)
{
}
