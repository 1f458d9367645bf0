/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/samepicture.hpp"

#include "filter/gstclaggregatorpad.hpp"
#include "interop/caps.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

std::string
text_of (GstPad *pad, const GstVideoInfo &info)
{
  return std::string (GST_PAD_NAME (pad)) + " has " + GST_VIDEO_INFO_NAME (&info) + " "
         + std::to_string (GST_VIDEO_INFO_WIDTH (&info)) + "x" + std::to_string (GST_VIDEO_INFO_HEIGHT (&info));
}

/* Whether a structure allows a format with alpha, or without it; a structure without formats allows all. */
bool
names_alpha (const GstStructure *structure)
{
  const GValue *formats = gst_structure_get_value (structure, "format");
  const auto has_alpha = [] (const GValue *name) {
    const GstVideoFormat format =
        G_VALUE_HOLDS_STRING (name) ? gst_video_format_from_string (g_value_get_string (name)) : GST_VIDEO_FORMAT_UNKNOWN;
    return format == GST_VIDEO_FORMAT_UNKNOWN || GST_VIDEO_FORMAT_INFO_HAS_ALPHA (gst_video_format_get_info (format));
  };
  if (!formats || !GST_VALUE_HOLDS_LIST (formats))
    return !formats || has_alpha (formats);
  for (guint i = 0; i < gst_value_list_get_size (formats); i++)
    if (has_alpha (gst_value_list_get_value (formats, i)))
      return true;
  return false;
}

/* Returns all formats of the template with alpha, or all without it. */
GstCaps *
caps_of_formats (GstCaps *all, bool with_alpha)
{
  std::vector<const char *> names;
  for (const Format &format : all_formats ())
    if (GST_VIDEO_FORMAT_INFO_HAS_ALPHA (gst_video_format_get_info (format.id)) == with_alpha)
      names.push_back (gst_video_format_to_string (format.id));
  GstStructure *structure = gst_structure_new_empty ("video/x-raw");
  set_strings (structure, "format", names);
  g_autoptr (GstCaps) formats = gst_caps_new_empty ();
  gst_caps_append_structure_full (formats, structure, gst_caps_features_new_any ());
  return gst_caps_intersect_full (all, formats, GST_CAPS_INTERSECT_FIRST);
}

/* The caps of another input; null if no other input has caps. */
Ref<GstCaps>
caps_of_others (GstElement *element, GstPad *pad)
{
  for (const Ref<GstPad> &each : sink_pads_of (element))
    if (GstCaps *caps = each.get () == pad ? nullptr : gst_pad_get_current_caps (each.get ()))
      return Ref<GstCaps> (caps);
  return {};
}

/* The interlace-mode of another input; empty if no other input has caps. */
std::string
mode_of_others (GstElement *element, GstPad *pad)
{
  const Ref<GstCaps> caps = caps_of_others (element, pad);
  if (!caps)
    return "";
  const gchar *named = gst_structure_get_string (gst_caps_get_structure (caps.get (), 0), "interlace-mode");
  return named ? named : "progressive";
}

/* Caps that restrict only the interlace-mode of an input. */
GstCaps *
possible_modes (GstCaps *downstream, const std::string &others)
{
  GstCaps *modes = gst_caps_new_empty ();
  const auto add = [&modes] (GstStructure *structure) {
    modes = gst_caps_merge_structure_full (modes, structure, gst_caps_features_new_any ());
  };
  if (!others.empty ()) {
    add (gst_structure_new ("video/x-raw", "interlace-mode", G_TYPE_STRING, others.c_str (), nullptr));
    return modes;
  }
  for (guint i = 0; i < gst_caps_get_size (downstream); i++) {
    GstStructure *structure = gst_structure_new_empty ("video/x-raw");
    if (const GValue *mode = gst_structure_get_value (gst_caps_get_structure (downstream, i), "interlace-mode"))
      gst_structure_set_value (structure, "interlace-mode", mode);
    add (structure);
  }
  if (gst_caps_is_any (downstream))
    add (gst_structure_new_empty ("video/x-raw"));
  return modes;
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
    g_autoptr (GstCaps) plain = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, GST_VIDEO_INFO_NAME (likeness),
        "width", G_TYPE_INT, GST_VIDEO_INFO_WIDTH (likeness), "height", G_TYPE_INT, GST_VIDEO_INFO_HEIGHT (likeness), nullptr);
    g_autoptr (GstCaps) anywhere = with_memory (plain, all_memory_kinds ());
    g_autoptr (GstCaps) alike = gst_caps_intersect_full (possible, anywhere, GST_CAPS_INTERSECT_FIRST);
    if (!filter) /* links are made before formats are known */
      return gst_caps_merge (gst_caps_ref (alike), gst_caps_ref (possible));
    GstCaps *result = intersected (filter, alike);
    if (!gst_caps_is_empty (result))
      return result;
    gst_caps_unref (result);
  }
  return intersected (filter, possible);
}

/* The caps of an input with its own caps: its template's. If downstream takes no format with alpha, formats without alpha come
 * first, but formats with alpha remain, because they can be drawn on results without alpha. Interlacing must suit downstream
 * and the other inputs. */
static GstCaps *
caps_of_own_input (GstAggregator *self, GstPad *pad, GstCaps *filter)
{
  g_autoptr (GstCaps) all = gst_pad_get_pad_template_caps (pad);
  g_autoptr (GstCaps) downstream = gst_pad_peer_query_caps (GST_AGGREGATOR_SRC_PAD (self), nullptr);
  g_autoptr (GstCaps) modes = possible_modes (downstream, mode_of_others (GST_ELEMENT (self), pad));
  g_autoptr (GstCaps) possible = gst_caps_intersect_full (all, modes, GST_CAPS_INTERSECT_FIRST);
  bool takes_alpha = gst_caps_is_any (downstream);
  for (guint i = 0; i < gst_caps_get_size (downstream) && !takes_alpha; i++)
    takes_alpha = names_alpha (gst_caps_get_structure (downstream, i));
  if (takes_alpha)
    return intersected (filter, possible);
  g_autoptr (GstCaps) opaque = caps_of_formats (possible, false), with_alpha = caps_of_formats (possible, true);
  return gst_caps_merge (intersected (filter, opaque), intersected (filter, with_alpha));
}

GstCaps *
caps_for_inputs (GstPad *src_pad, GstCaps *template_caps)
{
  g_autoptr (GstCaps) downstream = gst_pad_peer_query_caps (src_pad, nullptr);
  if (gst_caps_is_any (downstream))
    return gst_caps_ref (template_caps);
  downstream = gst_caps_make_writable (downstream);
  for (guint i = 0; i < gst_caps_get_size (downstream); i++)
    if (gst_caps_features_is_any (gst_caps_get_features (downstream, i)))
      gst_caps_set_features (downstream, i, nullptr);
  g_autoptr (GstCaps) anywhere = with_memory (downstream, all_memory_kinds ());
  for (guint i = 0; i < gst_caps_get_size (anywhere); i++)
    gst_structure_remove_fields (gst_caps_get_structure (anywhere, i), "framerate", "max-framerate", nullptr);
  return gst_caps_intersect_full (anywhere, template_caps, GST_CAPS_INTERSECT_FIRST);
}

void
answer_accept_caps (GstPad *pad, GstQuery *query)
{
  GstCaps *caps = nullptr;
  g_autoptr (GstCaps) all = gst_pad_get_pad_template_caps (pad);
  gst_query_parse_accept_caps (query, &caps);
  gst_query_set_accept_caps_result (query, gst_caps_can_intersect (caps, all) || has_single_fields (caps));
}

bool
takes_event (GstElement *element, std::string &refused, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return true;
  GstCaps *caps = nullptr;
  gst_event_parse_caps (event, &caps);
  return run_guarded (element, refused, [&] { require_whole_frames (element, caps); });
}

bool
is_same_picture (const GstVideoInfo &a, const GstVideoInfo &b)
{
  return GST_VIDEO_INFO_FORMAT (&a) == GST_VIDEO_INFO_FORMAT (&b) && GST_VIDEO_INFO_WIDTH (&a) == GST_VIDEO_INFO_WIDTH (&b)
         && GST_VIDEO_INFO_HEIGHT (&a) == GST_VIDEO_INFO_HEIGHT (&b);
}

void
require_same_picture (GstPad *a_pad, const GstVideoInfo &a, GstPad *b_pad, const GstVideoInfo &b)
{
  if (is_same_picture (a, b))
    return;
  const std::string difference = text_of (a_pad, a) + ", " + text_of (b_pad, b);
  throw Failure (GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      "The inputs need the same format and size: " + difference + ". Put clconvert ! video/x-raw,format="
          + GST_VIDEO_INFO_NAME (&a) + ",width=" + std::to_string (GST_VIDEO_INFO_WIDTH (&a))
          + ",height=" + std::to_string (GST_VIDEO_INFO_HEIGHT (&a)) + " before " + GST_PAD_NAME (b_pad) + ".",
      difference);
}

void
require_times (GstElement *element)
{
  for (const Ref<GstPad> &pad : sink_pads_of (element))
    if (const BufferRef next (gst_aggregator_pad_peek_buffer (GST_AGGREGATOR_PAD (pad.get ())));
        next && !GST_BUFFER_PTS_IS_VALID (next.get ()))
      throw Failure (GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
          std::string ("A frame on ") + GST_PAD_NAME (pad.get ())
              + " has no time stamp, so it cannot be combined with others. Its source has to set time stamps; appsrc does with "
                "do-timestamp=true.",
          "");
}

/* The picture of another sink pad; nothing if no other pad has caps. */
static std::optional<GstVideoInfo>
info_of_others (GstElement *element, GstPad *pad)
{
  const Ref<GstCaps> caps = caps_of_others (element, pad);
  GstVideoInfo info;
  return caps && video_info_from_caps (info, caps.get ()) ? std::optional (info) : std::nullopt;
}

/* GstVideoInfo does not hold the light levels of HDR video. */
static void
keep_light (GstCaps *result, GstPad *input)
{
  const Ref<GstCaps> caps (gst_pad_get_current_caps (input));
  for (const char *field : {"mastering-display-info", "content-light-level"})
    if (const GValue *value = caps ? gst_structure_get_value (gst_caps_get_structure (caps.get (), 0), field) : nullptr)
      gst_caps_set_value (result, field, value);
}

GstCaps *
caps_of_result (ClElement &element, GstAggregator *self, GstCaps *downstream, bool own_caps)
{
  GstPad *src_pad = GST_AGGREGATOR_SRC_PAD (self);
  const std::vector<AggregatorInput> inputs = collect_known_inputs (GST_ELEMENT (self));
  if (inputs.empty ())
    return gst_caps_ref (downstream);
  const MemoryKind from = inputs.front ().video.kind;
  Ref<GstCaps> first = inputs.front ().video.caps_in (from);
  g_autoptr (GstCaps) peer = gst_pad_peer_query_caps (src_pad, nullptr);
  std::vector<MemoryKind> kinds{from};
  if (!gst_caps_is_any (peer)) {
    element.explore (first.get (), downstream);
    kinds = element.preferred (from, all_memory_kinds ());
  }
  if (own_caps) {
    first = Ref<GstCaps> (gst_pad_get_pad_template_caps (src_pad));
  } else {
    gst_caps_set_simple (first.get (), "framerate", GST_TYPE_FRACTION_RANGE, 1, G_MAXINT, G_MAXINT, 1, nullptr);
    gst_structure_remove_field (gst_caps_get_structure (first.get (), 0), "multiview-flags");
    keep_light (first.get (), inputs.front ().pad.get ());
  }
  const Ref<GstCaps> wanted (with_memory (first.get (), kinds));
  return gst_caps_intersect_full (wanted.get (), downstream, GST_CAPS_INTERSECT_FIRST);
}

/* Before the first result there is no segment, which a gap needs. */
void
send_gap (GstAggregator *self, GstClockTime from)
{
  GstPad *src = GST_AGGREGATOR_SRC_PAD (self);
  const GstClockTime to = GST_AGGREGATOR_PAD (src)->segment.position;
  g_autoptr (GstEvent) segment = gst_pad_get_sticky_event (src, GST_EVENT_SEGMENT, 0);
  if (segment && GST_CLOCK_TIME_IS_VALID (from) && GST_CLOCK_TIME_IS_VALID (to) && from != to)
    gst_pad_push_event (src, gst_event_new_gap (std::min (from, to), std::max (from, to) - std::min (from, to)));
}

gboolean
push_upstream (std::span<const Ref<GstPad>> inputs, GstEvent *event)
{
  gboolean taken = FALSE;
  for (const Ref<GstPad> &pad : inputs)
    taken = gst_pad_push_event (pad.get (), gst_event_ref (event)) || taken;
  gst_event_unref (event);
  return taken;
}

GstEvent *
with_interlacing (GstEvent *event, const GstVideoInfo &result)
{
  GstCaps *caps = nullptr;
  gst_event_parse_caps (event, &caps);
  caps = gst_caps_copy (caps);
  const bool known = result.finfo && GST_VIDEO_INFO_FORMAT (&result) != GST_VIDEO_FORMAT_UNKNOWN;
  const GstVideoInterlaceMode mode = known ? GST_VIDEO_INFO_INTERLACE_MODE (&result) : GST_VIDEO_INTERLACE_MODE_PROGRESSIVE;
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstStructure *structure = gst_caps_get_structure (caps, i);
    gst_structure_remove_fields (structure, "interlace-mode", "field-order", nullptr);
    if (mode != GST_VIDEO_INTERLACE_MODE_PROGRESSIVE)
      gst_structure_set (structure, "interlace-mode", G_TYPE_STRING, gst_video_interlace_mode_to_string (mode), nullptr);
  }
  GstEvent *like = gst_event_new_caps (caps);
  gst_event_set_seqnum (like, gst_event_get_seqnum (event));
  gst_caps_unref (caps);
  gst_event_unref (event);
  return like;
}

void
answer_input_caps (GstAggregator *self, GstPad *pad, GstQuery *query, bool own)
{
  GstCaps *filter = nullptr;
  gst_query_parse_caps (query, &filter);
  g_autoptr (GstCaps) answer = nullptr;
  if (own) {
    answer = caps_of_own_input (self, pad, filter);
  } else {
    g_autoptr (GstCaps) all = gst_pad_get_pad_template_caps (pad);
    g_autoptr (GstCaps) possible = caps_for_inputs (GST_AGGREGATOR_SRC_PAD (self), all);
    const std::optional<GstVideoInfo> others = info_of_others (GST_ELEMENT (self), pad);
    answer = caps_like (possible, others ? &*others : nullptr, filter);
  }
  gst_query_set_caps_result (query, answer);
}

}  // namespace gst::cl
