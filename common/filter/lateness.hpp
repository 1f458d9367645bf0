/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drops late results of filters that hold frames. */
#pragma once

#include <gst/base/gstbasetransform.h>

#include <algorithm>
#include <atomic>

namespace gst::cl {

/** Finds late results of inputs that are in time: each completes the window of an earlier frame. GstBaseTransform only drops late
 *  inputs. */
class Lateness {
public:
  /** Takes a QoS event of a sink. Any thread. */
  void see (GstEvent *event)
  {
    if (GST_EVENT_TYPE (event) != GST_EVENT_QOS)
      return;
    GstClockTimeDiff late = 0;
    GstClockTime time = GST_CLOCK_TIME_NONE;
    gst_event_parse_qos (event, nullptr, nullptr, &late, &time);
    /* twice, because the next result takes as long as the late one */
    if (GST_CLOCK_TIME_IS_VALID (time))
      earliest = GstClockTime (std::max<gint64> (gint64 (time) + (late > 0 ? 2 * late : late), 0));
  }

  void forget () { earliest = 0; }

  /** Whether a result of this time would be late. If so, posts a QoS message. Streaming thread. */
  bool drops (GstBaseTransform *base, GstClockTime time) const
  {
    if (base->segment.format != GST_FORMAT_TIME)
      return false;
    const GstClockTime running = gst_segment_to_running_time (&base->segment, GST_FORMAT_TIME, time);
    if (!GST_CLOCK_TIME_IS_VALID (running) || running >= earliest || !gst_base_transform_is_qos_enabled (base))
      return false;
    const GstClockTime stream_time = gst_segment_to_stream_time (&base->segment, GST_FORMAT_TIME, time);
    GstMessage *message = gst_message_new_qos (GST_OBJECT (base), FALSE, running, stream_time, time, GST_CLOCK_TIME_NONE);
    gst_message_set_qos_values (message, GST_CLOCK_DIFF (running, earliest), 1, 1'000'000);
    gst_element_post_message (GST_ELEMENT (base), message);
    return true;
  }

private:
  /* a running time */
  std::atomic<GstClockTime> earliest = 0;
};

}  // namespace gst::cl
