/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "deinterlace/fields.hpp"

#include "interop/caps.hpp"

#include <algorithm>
#include <vector>

namespace gst::cl {

namespace {

/* ONEFIELD is contained in other flags of fields, so single bits are tested. */
bool
has_flag (GstBuffer *buffer, GstVideoBufferFlags flag)
{
  return (GST_BUFFER_FLAGS (buffer) & flag) == guint (flag);
}

constexpr guint field_flags =
    GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF | GST_VIDEO_BUFFER_FLAG_RFF | GST_VIDEO_BUFFER_FLAG_ONEFIELD;

}  // namespace

ShownFields
fields_of (const GstVideoInfo &info, GstBuffer *buffer)
{
  const bool has_one = has_flag (buffer, GST_VIDEO_BUFFER_FLAG_ONEFIELD);
  ShownFields fields{.count = 2, .top_first = true};
  if (has_one)
    fields.count = 1;
  else if (has_flag (buffer, GST_VIDEO_BUFFER_FLAG_RFF))
    fields.count = 3;
  const GstVideoFieldOrder order = GST_VIDEO_INFO_FIELD_ORDER (&info);
  const bool is_interleaved = GST_VIDEO_INFO_INTERLACE_MODE (&info) == GST_VIDEO_INTERLACE_MODE_INTERLEAVED;
  if (is_interleaved && !has_one && order != GST_VIDEO_FIELD_ORDER_UNKNOWN)
    fields.top_first = order == GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST;
  else if (has_one || has_flag (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED))
    fields.top_first = has_flag (buffer, GST_VIDEO_BUFFER_FLAG_TFF);
  return fields;
}

/* From one frame to the next; none if there is no next frame, or one of them has no time. */
static GstClockTime
time_between (GstBuffer *frame, GstBuffer *next)
{
  const bool is_known = frame && next && GST_BUFFER_PTS_IS_VALID (frame) && GST_BUFFER_PTS_IS_VALID (next)
                        && GST_BUFFER_PTS (next) > GST_BUFFER_PTS (frame);
  return is_known ? GST_BUFFER_PTS (next) - GST_BUFFER_PTS (frame) : GST_CLOCK_TIME_NONE;
}

/* Durations often describe one field or the nominal rate, or are missing, while time stamps are right. */
GstClockTime
duration_of (const GstVideoInfo &info, GstBuffer *buffer, const ShownFields &fields, GstBuffer *next, GstBuffer *last)
{
  const GstClockTime stated = GST_BUFFER_DURATION (buffer) > 0 ? GST_BUFFER_DURATION (buffer) : GST_CLOCK_TIME_NONE;
  const bool is_stated = GST_CLOCK_TIME_IS_VALID (stated);
  const GstClockTime until_next = time_between (buffer, next);
  const bool has_next = GST_CLOCK_TIME_IS_VALID (until_next);
  if (is_stated && has_next && MAX (stated, until_next) - MIN (stated, until_next) <= GST_MSECOND)
    return stated; /* time stamps may be rounded to milliseconds */
  if (info.fps_n == 0 && !is_stated)
    return has_next ? until_next : time_between (last, buffer);
  if (info.fps_n == 0)
    return has_next ? std::min (stated, until_next) : stated;
  const GstClockTime usual = gst_util_uint64_scale (fields.count * GST_SECOND, info.fps_d, guint64 (info.fps_n) * 2);
  if (has_next && until_next < 2 * usual)
    return until_next;
  return is_stated && stated > usual / 2 && stated < 2 * usual ? stated : usual;
}

void
set_times (GstBuffer *buffer, GstClockTime start, GstClockTime duration, unsigned i, unsigned n)
{
  const bool is_known = GST_CLOCK_TIME_IS_VALID (duration);
  const GstClockTime begin = is_known ? gst_util_uint64_scale_int (duration, int (i), int (n)) : 0;
  const GstClockTime end = is_known ? gst_util_uint64_scale_int (duration, int (i) + 1, int (n)) : 0;
  GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_IS_VALID (start) ? start + begin : GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = is_known ? end - begin : GST_CLOCK_TIME_NONE;
}

void
clear_place (GstBuffer *buffer)
{
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_OFFSET (buffer) = GST_BUFFER_OFFSET_END (buffer) = GST_BUFFER_OFFSET_NONE;
  GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_RESYNC);
}

bool
has_field_flags (GstBuffer *buffer)
{
  return GST_BUFFER_FLAGS (buffer) & field_flags;
}

void
clear_field_flags (GstBuffer *buffer)
{
  GST_BUFFER_FLAG_UNSET (buffer, field_flags);
}

namespace {

/* Scales rates in caps: fractions, ranges and lists of them. Values that are too large become the largest. */
void
scale_rate (GValue *to, const GValue *from, int numerator, int denominator)
{
  const auto scale_fraction = [&] (GValue *result, const GValue *rate) {
    int n = 0, d = 1;
    if (!gst_util_fraction_multiply (
            gst_value_get_fraction_numerator (rate), gst_value_get_fraction_denominator (rate), numerator, denominator, &n, &d))
      n = G_MAXINT, d = 1;
    gst_value_set_fraction (result, n, d);
  };
  g_value_init (to, G_VALUE_TYPE (from));
  if (GST_VALUE_HOLDS_FRACTION (from)) {
    scale_fraction (to, from);
  } else if (GST_VALUE_HOLDS_FRACTION_RANGE (from)) {
    GValue least = G_VALUE_INIT, most = G_VALUE_INIT;
    g_value_init (&least, GST_TYPE_FRACTION);
    g_value_init (&most, GST_TYPE_FRACTION);
    scale_fraction (&least, gst_value_get_fraction_range_min (from));
    scale_fraction (&most, gst_value_get_fraction_range_max (from));
    if (gst_value_compare (&least, &most) == GST_VALUE_LESS_THAN)
      gst_value_set_fraction_range (to, &least, &most);
    else
      g_value_copy (from, to);
  } else if (GST_VALUE_HOLDS_LIST (from)) {
    for (guint i = 0; i < gst_value_list_get_size (from); i++) {
      GValue scaled = G_VALUE_INIT;
      scale_rate (&scaled, gst_value_list_get_value (from, i), numerator, denominator);
      gst_value_list_append_and_take_value (to, &scaled);
    }
  } else {
    g_value_copy (from, to);
  }
}

void
scale_rates (GstStructure *structure, int numerator, int denominator)
{
  for (const char *field : {"framerate", "max-framerate"})
    if (const GValue *rate = gst_structure_get_value (structure, field)) {
      GValue scaled = G_VALUE_INIT;
      scale_rate (&scaled, rate, numerator, denominator);
      gst_structure_take_value (structure, field, &scaled);
    }
}

/* Whether the structure allows any of these modes; a structure without interlace-mode allows all. */
bool
may_have (const GstStructure *structure, std::initializer_list<const char *> modes)
{
  const GValue *mode = gst_structure_get_value (structure, "interlace-mode");
  if (!mode)
    return true;
  for (const char *each : modes) {
    GValue wanted = G_VALUE_INIT;
    g_value_init (&wanted, G_TYPE_STRING);
    g_value_set_static_string (&wanted, each);
    const bool found = gst_value_intersect (nullptr, mode, &wanted);
    g_value_unset (&wanted);
    if (found)
      return true;
  }
  return false;
}

using Modes = std::vector<const char *>;

/* Without modes, interlacing is open. Only interlaced video has a field order. */
GstStructure *
with_modes (const GstStructure *structure, const Modes &modes)
{
  GstStructure *copy = gst_structure_copy (structure);
  gst_structure_remove_fields (copy, "interlace-mode", "field-order", nullptr);
  if (!modes.empty ())
    set_strings (copy, "interlace-mode", modes);
  return copy;
}

/* Returns the structure unchanged, and progressive if its frames can be deinterlaced. Progressive frames are first, so that a
 * source that makes both kinds is not made to interlace. */
std::vector<GstStructure *>
other_side (const GstStructure *structure, bool is_stream, GstPadDirection direction, const DeinterlaceSettings &settings)
{
  std::vector<GstStructure *> others;
  const bool downwards = direction == GST_PAD_SINK;
  const bool says_nothing = !gst_structure_has_field (structure, "interlace-mode");
  const bool is_plain = downwards && is_stream && says_nothing;
  const bool made = downwards ? settings.always () || (!is_plain && may_have (structure, {"interleaved", "mixed"}))
                              : may_have (structure, {"progressive"});
  if (made && (!downwards || may_have (structure, {"progressive", "interleaved", "mixed"}))) {
    /* open, so that a capsfilter whose caps do not name the mode has fixed caps */
    const std::vector<Modes> modes = downwards            ? std::vector<Modes>{{"progressive"}}
                                     : settings.always () ? std::vector<Modes>{{"progressive"}, {}}
                                                          : std::vector<Modes>{{"interleaved", "mixed"}};
    const auto with_rate = [&] (int numerator, int denominator) {
      for (const Modes &each : modes) {
        others.push_back (with_modes (structure, each));
        scale_rates (others.back (), numerator, denominator);
      }
    };
    if (settings.fields == FieldChoice::all || settings.fields == FieldChoice::by_rate)
      with_rate (downwards ? 2 : 1, downwards ? 1 : 2);
    if (settings.fields != FieldChoice::all)
      with_rate (1, 1);
  }
  if (!settings.always () && may_have (structure, {"progressive"}))
    others.insert (downwards ? others.end () : others.begin (),
        is_plain ? gst_structure_copy (structure) : with_modes (structure, {"progressive"}));
  return others;
}

}  // namespace

GstCaps *
as_frames (GstCaps *caps)
{
  if (!has_single_fields (caps))
    return caps;
  GstCaps *frames = gst_caps_make_writable (caps);
  for (guint i = 0; i < gst_caps_get_size (frames); i++) {
    GstCapsFeatures *features = gst_caps_get_features (frames, i);
    if (!gst_caps_features_contains (features, GST_CAPS_FEATURE_FORMAT_INTERLACED))
      continue;
    gst_caps_features_remove (features, GST_CAPS_FEATURE_FORMAT_INTERLACED);
    gst_structure_set (gst_caps_get_structure (frames, i), "interlace-mode", G_TYPE_STRING, "interleaved", nullptr);
  }
  return frames;
}

GstCaps *
with_single_fields (GstCaps *caps)
{
  static const GstCapsFeatures *const fields = gst_caps_features_new (GST_CAPS_FEATURE_FORMAT_INTERLACED, nullptr);
  GstCaps *result = gst_caps_copy (caps);
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const GstStructure *structure = gst_caps_get_structure (caps, i);
    if (!gst_caps_features_is_equal (gst_caps_get_features (caps, i), GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY)
        || !may_have (structure, {"interleaved"}))
      continue;
    GstStructure *copy = gst_structure_copy (structure);
    gst_structure_set (copy, "interlace-mode", G_TYPE_STRING, "alternate", nullptr);
    result = gst_caps_merge_structure_full (result, copy, gst_caps_features_copy (fields));
  }
  gst_caps_unref (caps);
  return result;
}

static GstCaps *
all_usable_caps ()
{
  static GstCaps *const caps = keep (make_template_caps (all_memory_kinds (), true));
  return caps;
}

bool
can_deinterlace (const GstCaps *caps)
{
  return gst_caps_can_intersect (caps, all_usable_caps ());
}

GstCaps *
usable_caps (GstCaps *caps)
{
  return gst_caps_intersect_full (caps, all_usable_caps (), GST_CAPS_INTERSECT_FIRST);
}

GstCaps *
passing_caps (GstCaps *caps, const DeinterlaceSettings &settings)
{
  switch (settings.mode) {
    case DeinterlaceMode::always:
      return gst_caps_new_empty ();
    case DeinterlaceMode::strict: {
      static GstCaps *const progressive = keep (gst_caps_from_string ("video/x-raw(ANY),interlace-mode=progressive"));
      return gst_caps_merge (gst_caps_intersect_full (caps, progressive, GST_CAPS_INTERSECT_FIRST), usable_caps (caps));
    }
    default:
      return gst_caps_ref (caps);
  }
}

GstCaps *
field_caps (GstCaps *caps, GstPadDirection direction, const DeinterlaceSettings &settings, bool is_stream)
{
  GstCaps *result = gst_caps_new_empty ();
  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    for (GstStructure *each : other_side (gst_caps_get_structure (caps, i), is_stream, direction, settings))
      result = gst_caps_merge_structure_full (result, each, gst_caps_features_copy (gst_caps_get_features (caps, i)));
  return result;
}

bool
has_field_rate (const GstVideoInfo &in, const GstVideoInfo &out, const DeinterlaceSettings &settings)
{
  if (settings.fields == FieldChoice::top || settings.fields == FieldChoice::bottom)
    return false;
  return settings.fields == FieldChoice::all || in.fps_n == 0
         || gst_util_fraction_compare (in.fps_n, in.fps_d, out.fps_n, out.fps_d) != 0;
}

}  // namespace gst::cl
