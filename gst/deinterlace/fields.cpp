/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "deinterlace/fields.hpp"

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

bool
is_interlaced (const GstVideoInfo &info, GstBuffer *buffer)
{
  switch (GST_VIDEO_INFO_INTERLACE_MODE (&info)) {
    case GST_VIDEO_INTERLACE_MODE_PROGRESSIVE:
      return false;
    case GST_VIDEO_INTERLACE_MODE_MIXED:
      return has_flag (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
    default:
      return true;
  }
}

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

/* Durations often describe one field or the nominal rate, or are missing, while time stamps are right. */
GstClockTime
duration_of (const GstVideoInfo &info, GstBuffer *buffer, const ShownFields &fields, GstBuffer *next)
{
  const GstClockTime stated = GST_BUFFER_DURATION (buffer) > 0 ? GST_BUFFER_DURATION (buffer) : GST_CLOCK_TIME_NONE;
  const bool is_stated = GST_CLOCK_TIME_IS_VALID (stated);
  GstClockTime until_next = GST_CLOCK_TIME_NONE;
  if (next && GST_BUFFER_PTS_IS_VALID (buffer) && GST_BUFFER_PTS_IS_VALID (next)
      && GST_BUFFER_PTS (next) > GST_BUFFER_PTS (buffer))
    until_next = GST_BUFFER_PTS (next) - GST_BUFFER_PTS (buffer);
  const bool has_next = GST_CLOCK_TIME_IS_VALID (until_next);
  if (is_stated && has_next && MAX (stated, until_next) - MIN (stated, until_next) <= GST_MSECOND)
    return stated; /* time stamps may be rounded to milliseconds */
  if (info.fps_n == 0)
    return has_next && !(is_stated && stated < until_next) ? until_next : stated;
  const GstClockTime usual = gst_util_uint64_scale (fields.count * GST_SECOND, info.fps_d, guint64 (info.fps_n) * 2);
  if (has_next && until_next < 2 * usual)
    return until_next;
  return is_stated && stated > usual / 2 && stated < 2 * usual ? stated : usual;
}

/* If the duration of a frame is unknown, the time of its second field is unknown as well. */
void
set_times (GstBuffer *buffer, GstClockTime start, GstClockTime duration, unsigned i, unsigned n)
{
  const bool is_known = GST_CLOCK_TIME_IS_VALID (duration);
  const GstClockTime begin = is_known ? gst_util_uint64_scale_int (duration, int (i), int (n)) : 0;
  const GstClockTime end = is_known ? gst_util_uint64_scale_int (duration, int (i) + 1, int (n)) : 0;
  GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_IS_VALID (start) && (is_known || i == 0) ? start + begin : GST_CLOCK_TIME_NONE;
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

}  // namespace gst::cl
