/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decides whether waiting frames must be pushed before an event. */
#pragma once

#include <gst/video/video.h>

namespace gst::cl {

/* Replaces GStreamer's macro, which mixes enumerations: C++20 warns of that. */
inline bool
has_flag (GstEvent *event, GstEventTypeFlags flag)
{
  return gst_event_type_get_flags (GST_EVENT_TYPE (event)) & flag;
}

/* Whether waiting frames must be pushed before this event. */
inline bool
ends_windows (GstEvent *event)
{
  gboolean is_still;
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_GAP:
    case GST_EVENT_STREAM_START:
    case GST_EVENT_STREAM_GROUP_DONE:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_EOS:
      return true;
    case GST_EVENT_CUSTOM_DOWNSTREAM:
      return gst_video_event_parse_still_frame (event, &is_still);
    default:
      return false;
  }
}

}  // namespace gst::cl
