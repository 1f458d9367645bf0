/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/samepicture.hpp"

namespace gst::cl {

namespace {

std::string
text_of (GstPad *pad, const GstVideoInfo &info)
{
  return std::string (GST_PAD_NAME (pad)) + " has " + GST_VIDEO_INFO_NAME (&info) + " "
         + std::to_string (GST_VIDEO_INFO_WIDTH (&info)) + "x" + std::to_string (GST_VIDEO_INFO_HEIGHT (&info));
}

GstCaps *
intersected (GstCaps *filter, GstCaps *caps)
{
  return filter ? gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST) : gst_caps_ref (caps);
}

}  // namespace

GstCaps *
caps_like (GstCaps *possible, const GstVideoInfo *likeness, GstCaps *filter)
{
  if (likeness && GST_VIDEO_INFO_FORMAT (likeness) != GST_VIDEO_FORMAT_UNKNOWN) {
    GstCaps *plain = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, GST_VIDEO_INFO_NAME (likeness), "width",
        G_TYPE_INT, GST_VIDEO_INFO_WIDTH (likeness), "height", G_TYPE_INT, GST_VIDEO_INFO_HEIGHT (likeness), nullptr);
    GstCaps *anywhere = with_memory (plain, all_memory_kinds ());
    GstCaps *alike = gst_caps_intersect_full (possible, anywhere, GST_CAPS_INTERSECT_FIRST);
    GstCaps *result = intersected (filter, alike);
    gst_caps_unref (plain);
    gst_caps_unref (anywhere);
    gst_caps_unref (alike);
    if (!gst_caps_is_empty (result))
      return result;
    gst_caps_unref (result);
  }
  return intersected (filter, possible);
}

GstCaps *
caps_for_inputs (GstPad *src_pad, GstCaps *template_caps)
{
  GstCaps *downstream = gst_pad_peer_query_caps (src_pad, nullptr);
  GstCaps *possible = nullptr;
  if (gst_caps_is_any (downstream)) {
    possible = gst_caps_ref (template_caps);
  } else {
    GstCaps *anywhere = with_memory (downstream, all_memory_kinds ());
    for (guint i = 0; i < gst_caps_get_size (anywhere); i++)
      gst_structure_remove_fields (gst_caps_get_structure (anywhere, i), "framerate", "max-framerate", nullptr);
    possible = gst_caps_intersect_full (anywhere, template_caps, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (anywhere);
  }
  gst_caps_unref (downstream);
  return possible;
}

void
answer_accept_caps (GstPad *pad, GstQuery *query)
{
  GstCaps *caps = nullptr, *all = gst_pad_get_pad_template_caps (pad);
  gst_query_parse_accept_caps (query, &caps);
  gst_query_set_accept_caps_result (query, gst_caps_is_subset (caps, all));
  gst_caps_unref (all);
}

void
require_same_picture (GstPad *a_pad, const GstVideoInfo &a, GstPad *b_pad, const GstVideoInfo &b)
{
  if (GST_VIDEO_INFO_FORMAT (&a) == GST_VIDEO_INFO_FORMAT (&b) && GST_VIDEO_INFO_WIDTH (&a) == GST_VIDEO_INFO_WIDTH (&b)
      && GST_VIDEO_INFO_HEIGHT (&a) == GST_VIDEO_INFO_HEIGHT (&b))
    return;
  const std::string difference = text_of (a_pad, a) + ", " + text_of (b_pad, b);
  throw Failure (GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      "The inputs need the same format and size: " + difference + ". Put videoconvert and videoscale before one of them.",
      difference);
}

}  // namespace gst::cl
