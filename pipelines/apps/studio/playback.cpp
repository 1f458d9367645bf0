/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of the model that play, seek, and keep the picture of a paused pipeline up to date. */
#include "model.hpp"

#include <algorithm>
#include <utility>

namespace studio {

namespace {

/* at most this many frames are between the filters and the sink */
constexpr guint64 under_way = 8;

/* Filters usually take less time than this for a frame. */
constexpr std::chrono::seconds frame_patience (1);

}  // namespace

void
Model::set_state ()
{
  if (!supply || failed)
    return;
  gst_element_set_state (pipeline.get (), playing ? GST_STATE_PLAYING : GST_STATE_PAUSED);
  on_state ();
}

void
Model::play ()
{
  playing = true;
  linked->ask_for_gap ();
  if (sought)
    flush_to (*std::exchange (sought, std::nullopt));
  failed ? restart () : set_state ();
}

void
Model::pause ()
{
  playing = false;
  set_state ();
  stale = stale || halves->frames () < changed_at + under_way;
  refresh ();
}

void
Model::restart ()
{
  gst_element_set_state (pipeline.get (), GST_STATE_READY);
  /* discards later errors of the same failure */
  const Ref<GstBus> bus = bus_of (pipeline.get ());
  gst_bus_set_flushing (bus.get (), TRUE);
  gst_bus_set_flushing (bus.get (), FALSE);
  failed = stale = false;
  sought.reset ();
  linked->ask_for_gap ();
  set_state ();
}

std::optional<gint64>
Model::position () const
{
  gint64 value = 0;
  if (!gst_element_query_position (pipeline.get (), GST_FORMAT_TIME, &value))
    return {};
  return value;
}

std::optional<gint64>
Model::duration () const
{
  gint64 value = 0;
  if (!gst_element_query_duration (pipeline.get (), GST_FORMAT_TIME, &value) || value <= 0)
    return {};
  return value;
}

void
Model::seek (gint64 to)
{
  if (!stands ()) {
    flush_to (to, frame_patience);
    return;
  }
  sought = to;
  stale = true;
  refresh ();
}

/* Seeks on the source and not on the sink, because the event would pass filters that are being linked. */
void
Model::flush_to (gint64 to, std::chrono::milliseconds patience)
{
  constexpr auto flags = GstSeekFlags (GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE);
  const Ref<GstPad> entrance = pad_of (stock.get (), "sink");
  bool seeks = false;
  const auto seek = [&] {
    seeks = gst_pad_push_event (
        entrance.get (), gst_event_new_seek (1, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, to, GST_SEEK_TYPE_NONE, -1));
  };
  linked->flush (seek, patience);
  /* a source that flushes later may already have pushed frames through the old row */
  if (seeks)
    stale = !linked->settled (std::chrono::milliseconds (0));
}

void
Model::touched ()
{
  changed_at = halves->frames ();
  if (failed) {
    restart ();
  } else if (stands ()) {
    stale = true;
    refresh ();
  } else {
    linked->ask_for_gap ();
  }
}

/* Frames in a paused pipeline were filtered before the change, so they are fetched again, one picture at a time. The next
   picture is fetched, and filters are linked for it, when the last one has arrived: its position is then known, and no caps are
   passing, which a flush would turn into an error. The pipeline reports the end of its state change; if that was for an older
   picture, it is changing again. */
void
Model::refresh ()
{
  if (!stale || !stands ())
    return;
  if (gst_element_get_state (pipeline.get (), nullptr, nullptr, 0) != GST_STATE_CHANGE_SUCCESS)
    return;
  stale = false;
  stood_at = sought ? *std::exchange (sought, std::nullopt) : shown_at ().value_or (stood_at);
  flush_to (stood_at);
}

/* The position of the picture itself, which differs from the pipeline's at the end and between two pictures. */
std::optional<gint64>
Model::shown_at () const
{
  GstSample *raw = nullptr;
  g_object_get (sink.get (), "last-sample", &raw, nullptr);
  const Sample sample (raw);
  GstBuffer *buffer = raw ? gst_sample_get_buffer (raw) : nullptr;
  if (!buffer || !GST_BUFFER_PTS_IS_VALID (buffer))
    return {};
  const GstSegment *segment = gst_sample_get_segment (raw);
  /* a picture that began before the target is clipped */
  const guint64 time =
      gst_segment_to_stream_time (segment, GST_FORMAT_TIME, std::max (GST_BUFFER_PTS (buffer), segment->start));
  return GST_CLOCK_TIME_IS_VALID (time) ? std::optional<gint64> (time) : std::nullopt;
}

}  // namespace studio
