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

GstCaps *
caps_of_result (ClElement &element, GstAggregator *self, GstCaps *downstream, bool own_caps)
{
  GstPad *src_pad = GST_AGGREGATOR_SRC_PAD (self);
  GstCaps *first = first_caps (GST_ELEMENT (self));
  if (!first)
    return gst_caps_ref (downstream);
  const MemoryKind from = memory_kind (first);
  GstCaps *peer = gst_pad_peer_query_caps (src_pad, nullptr);
  std::vector<MemoryKind> kinds{from};
  if (!gst_caps_is_any (peer)) {
    element.explore (first, downstream);
    kinds = element.preferred (from, all_memory_kinds ());
  }
  if (own_caps) {
    gst_caps_take (&first, gst_pad_get_pad_template_caps (src_pad));
  } else {
    gst_caps_set_simple (first, "framerate", GST_TYPE_FRACTION_RANGE, 1, G_MAXINT, G_MAXINT, 1, nullptr);
    gst_structure_remove_field (gst_caps_get_structure (first, 0), "multiview-flags");
  }
  GstCaps *wanted = with_memory (first, kinds);
  GstCaps *result = gst_caps_intersect_full (wanted, downstream, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (peer);
  gst_caps_unref (wanted);
  gst_caps_unref (first);
  return result;
}

GstEvent *
without_interlacing (GstEvent *event)
{
  GstCaps *caps = nullptr;
  gst_event_parse_caps (event, &caps);
  caps = gst_caps_copy (caps);
  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    gst_structure_remove_fields (gst_caps_get_structure (caps, i), "interlace-mode", "field-order", nullptr);
  GstEvent *plain = gst_event_new_caps (caps);
  gst_event_set_seqnum (plain, gst_event_get_seqnum (event));
  gst_caps_unref (caps);
  gst_event_unref (event);
  return plain;
}

}  // namespace gst::cl
