/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/inputcaps.hpp"

#include "filter/caps.hpp"

namespace gst::cl {

std::optional<GstVideoInfo>
info_of_others (GstElement *element, gpointer pad)
{
  std::optional<GstVideoInfo> info;
  GST_OBJECT_LOCK (element);
  for (GList *at = element->sinkpads; at && !info; at = at->next) {
    const GstVideoInfo &each = GST_VIDEO_AGGREGATOR_PAD (at->data)->info;
    if (at->data != pad && each.finfo && GST_VIDEO_INFO_FORMAT (&each) != GST_VIDEO_FORMAT_UNKNOWN)
      info = each;
  }
  GST_OBJECT_UNLOCK (element);
  return info;
}

GstCaps *
first_caps (GstElement *element)
{
  GstCaps *caps = nullptr;
  GST_OBJECT_LOCK (element);
  for (GList *at = element->sinkpads; at && !caps; at = at->next) {
    const GstVideoInfo &info = GST_VIDEO_AGGREGATOR_PAD (at->data)->info;
    GstCaps *current = gst_pad_get_current_caps (GST_PAD (at->data));
    if (current && info.finfo && GST_VIDEO_INFO_FORMAT (&info) != GST_VIDEO_FORMAT_UNKNOWN) {
      GstCaps *of_info = gst_video_info_to_caps (const_cast<GstVideoInfo *> (&info));
      caps = with_memory (of_info, {memory_kind (current)});
      gst_caps_unref (of_info);
    }
    gst_clear_caps (&current);
  }
  GST_OBJECT_UNLOCK (element);
  return caps;
}

std::vector<CapsRef>
caps_of_inputs (GstElement *element)
{
  std::vector<CapsRef> caps;
  GST_OBJECT_LOCK (element);
  for (GList *at = element->sinkpads; at; at = at->next)
    if (GstCaps *current = gst_pad_get_current_caps (GST_PAD (at->data)))
      caps.emplace_back (current, gst_caps_unref);
  GST_OBJECT_UNLOCK (element);
  return caps;
}

}  // namespace gst::cl
