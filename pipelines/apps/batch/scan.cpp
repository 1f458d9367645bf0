/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scan.hpp"

#include "../demo/pipeline.hpp"

#include <algorithm>
#include <mutex>

namespace {

bool
is_video (GstPad *pad)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  if (!caps)
    caps = gst_pad_query_caps (pad, nullptr);
  const char *name =
      gst_caps_is_empty (caps) || gst_caps_is_any (caps) ? "" : gst_structure_get_name (gst_caps_get_structure (caps, 0));
  const bool is = g_str_has_prefix (name, "video/") || g_str_has_prefix (name, "image/");
  gst_caps_unref (caps);
  return is;
}

class Scanner {
public:
  Scanner (const std::string &path, bool decodes)
      : pipeline (std::string ("filesrc name=file ! ") + (decodes ? "decodebin" : "parsebin") + " name=parts", path)
  {
    g_signal_connect (pipeline.element ("parts").get (), "pad-added", G_CALLBACK (on_pad), this);
  }

  Scan run ()
  {
    pipeline.play ();
    pipeline.wait ();
    const std::lock_guard lock (mutex);
    ensure (bool (video), nullptr, "it has no video");
    std::ranges::sort (scan.frames);
    if (untimed)
      scan.whole_because = "some frames have no time";
    else if (std::ranges::adjacent_find (scan.frames) != scan.frames.end ())
      scan.whole_because = "several frames have the same time";
    else if (sizes > 1)
      scan.whole_because = "its frames change their size";
    else if (!is_seekable ())
      scan.whole_because = "it cannot be sought in";
    return std::move (scan);
  }

private:
  static void on_pad (GstElement *, GstPad *pad, gpointer user)
  {
    auto *self = static_cast<Scanner *> (user);
    GstElement *sink = gst_element_factory_make ("fakesink", nullptr);
    /* one thread may feed several of them, so none waits for its first buffer */
    g_object_set (sink, "sync", FALSE, "async", FALSE, nullptr);
    gst_bin_add (GST_BIN (self->pipeline.get ()), sink);
    gst_element_sync_state_with_parent (sink);
    GstPad *to = gst_element_get_static_pad (sink, "sink");
    {
      const std::lock_guard lock (self->mutex);
      if (!self->video && is_video (pad)) {
        self->video = Ref<GstPad> (to);
        gst_pad_add_probe (
            to, GstPadProbeType (GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM), on_data, self, nullptr);
      }
    }
    gst_pad_link (pad, to);
    gst_object_unref (to);
  }

  static GstPadProbeReturn on_data (GstPad *, GstPadProbeInfo *info, gpointer user)
  {
    auto *self = static_cast<Scanner *> (user);
    const std::lock_guard lock (self->mutex);
    if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
      self->note (GST_PAD_PROBE_INFO_BUFFER (info));
    else
      self->note (GST_PAD_PROBE_INFO_EVENT (info));
    return GST_PAD_PROBE_OK;
  }

  void note (GstBuffer *buffer)
  {
    if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DECODE_ONLY) || !gst_buffer_get_size (buffer))
      return;
    if (!GST_BUFFER_PTS_IS_VALID (buffer) || segment.format != GST_FORMAT_TIME) {
      untimed = true;
      return;
    }
    /* an edit list leaves frames outside; the one at its end belongs to the next part */
    if (GST_CLOCK_TIME_IS_VALID (segment.stop) && GST_BUFFER_PTS (buffer) >= segment.stop)
      return;
    const GstClockTime time = gst_segment_to_stream_time (&segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
    if (GST_CLOCK_TIME_IS_VALID (time))
      scan.frames.push_back (time);
  }

  void note (GstEvent *event)
  {
    if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
      gst_event_copy_segment (event, &segment);
      return;
    }
    if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
      return;
    GstCaps *caps = nullptr;
    gst_event_parse_caps (event, &caps);
    const GstStructure *structure = gst_caps_get_structure (caps, 0);
    int w = 0, h = 0, rate = 0, unit = 1;
    gst_structure_get (structure, "width", G_TYPE_INT, &w, "height", G_TYPE_INT, &h, nullptr);
    scan.has_rate = gst_structure_get_fraction (structure, "framerate", &rate, &unit) && rate > 0;
    sizes += sizes == 0 || w != width || h != height;
    width = w;
    height = h;
  }

  bool is_seekable () const
  {
    GstQuery *query = gst_query_new_seeking (GST_FORMAT_TIME);
    gboolean seekable = FALSE;
    if (gst_element_query (pipeline.get (), query))
      gst_query_parse_seeking (query, nullptr, &seekable, nullptr, nullptr);
    gst_query_unref (query);
    return seekable;
  }

  Pipeline pipeline;
  /* of what streaming threads write */
  std::mutex mutex;
  Ref<GstPad> video;
  GstSegment segment{};
  Scan scan;
  bool untimed = false;
  int sizes = 0, width = 0, height = 0;
};

}  // namespace

Scan
scan_video (const std::string &path, bool decodes)
{
  try {
    return Scanner (path, decodes).run ();
  } catch (const std::exception &error) {
    throw std::runtime_error (path + ": " + error.what ());
  }
}
