/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/mask.hpp"

#include <gst/cl/gstclmemory.h>

GST_DEBUG_CATEGORY_STATIC (gst_cl_mask_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT gst_cl_mask_debug

namespace gst::cl {

namespace {

#define MASK_FORMATS "{ GRAY8, RGBA, BGRA, ARGB, ABGR, AYUV, VUYA, A420 }"

/* The host reads masks of any memory that it can map, which are few. */
GstStaticPadTemplate mask_template = GST_STATIC_PAD_TEMPLATE ("mask", GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS (GST_VIDEO_CAPS_MAKE (MASK_FORMATS) ";" GST_VIDEO_CAPS_MAKE_WITH_FEATURES (
        GST_CAPS_FEATURE_MEMORY_CL, MASK_FORMATS) ";" GST_VIDEO_CAPS_MAKE_WITH_FEATURES ("memory:GLMemory", MASK_FORMATS)));

/* Reads the grey values, or the alpha channel if the format has one. */
MaskRef
read_mask (const GstVideoInfo &info, GstBuffer *buffer)
{
  GstVideoFrame frame;
  if (!gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ))
    return nullptr;
  const int component = GST_VIDEO_INFO_HAS_ALPHA (&info) ? GST_VIDEO_COMP_A : GST_VIDEO_COMP_Y;
  const int step = GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, component), stride = GST_VIDEO_FRAME_COMP_STRIDE (&frame, component);
  auto mask = std::make_shared<Mask> (Mask{GST_VIDEO_INFO_WIDTH (&info), GST_VIDEO_INFO_HEIGHT (&info), {}});
  mask->values.reserve (size_t (mask->width) * mask->height);
  for (int y = 0; y < mask->height; y++) {
    const guint8 *row = static_cast<const guint8 *> (GST_VIDEO_FRAME_COMP_DATA (&frame, component)) + gssize (y) * stride;
    for (int x = 0; x < mask->width; x++)
      mask->values.push_back (row[x * step]);
  }
  gst_video_frame_unmap (&frame);
  return mask;
}

GstFlowReturn
chain_mask (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  GstVideoInfo info;
  const bool has_format = caps && gst_video_info_from_caps (&info, caps);
  MaskRef mask = has_format ? read_mask (info, buffer) : nullptr;
  gst_buffer_unref (buffer);
  if (!has_format)
    return GST_FLOW_NOT_NEGOTIATED;
  if (mask)
    static_cast<MaskHolder *> (gst_pad_get_element_private (pad))->set (std::move (mask));
  else
    GST_WARNING_OBJECT (parent, "a mask could not be read; the last one holds");
  return GST_FLOW_OK;
}

/* The element's stream begins and ends with its other pad, so the mask pad drops these events. */
gboolean
take_event (GstPad *, GstObject *, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

gboolean
answer_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
    case GST_QUERY_ACCEPT_CAPS:
      return gst_pad_query_default (pad, parent, query);
    case GST_QUERY_DRAIN:
      return TRUE;
    default:
      return FALSE;
  }
}

}  // namespace

void
add_mask_template (GstElementClass *klass)
{
  GST_DEBUG_CATEGORY_INIT (gst_cl_mask_debug, "clmask", 0, "masks of OpenCL filters");
  gst_element_class_add_static_pad_template (klass, &mask_template);
}

void
add_running_pad (GstElement *element, GstPad *pad)
{
  if (GST_STATE (element) > GST_STATE_READY || GST_STATE_NEXT (element) > GST_STATE_READY)
    gst_pad_set_active (pad, TRUE);
  gst_element_add_pad (element, pad);
}

GstPad *
make_mask_pad (GstElement *element, GstPadTemplate *pad_template, MaskHolder &holder)
{
  GstPad *pad = gst_pad_new_from_template (pad_template, "mask");
  gst_pad_set_element_private (pad, &holder);
  gst_pad_set_chain_function (pad, chain_mask);
  gst_pad_set_event_function (pad, take_event);
  gst_pad_set_query_function (pad, answer_query);
  add_running_pad (element, pad);
  return pad;
}

void
drop_mask_pad (GstElement *element, GstPad *pad)
{
  gst_pad_set_active (pad, FALSE);
  static_cast<MaskHolder *> (gst_pad_get_element_private (pad))->set (nullptr);
  gst_element_remove_pad (element, pad);
}

}  // namespace gst::cl
