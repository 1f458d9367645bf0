/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the filtered video to a file, with the sound of its source, in a separate pipeline. */
#pragma once

#include "../common/removal.hpp"
#include "encoders.hpp"
#include "source.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <glib/gstdio.h>
#include <optional>

namespace studio {

struct ExportJob {
  Source source;
  /* format: the format for the filters, "" for the source's; the words of the filters in a launch line */
  std::string format;
  std::vector<std::string> filters;

  std::string path;
  const Container *container = nullptr;
  /* one of the container's encoders */
  std::string encoder;
  Quality quality = Quality::good;
  bool sound = true;
  /* length for sources without an end */
  double seconds = 10;
};

class Export {
public:
  /* Starts at once. Calls on_end in the main context, with null on success. Throws std::runtime_error if it cannot start. */
  Export (ExportJob job, std::function<void (const Problem *)> at_end)
      : what (std::move (job)), on_end (std::move (at_end)), unfinished (unfinished_name (what.path)),
        began (g_get_monotonic_time ())
  {
    what.source.spare (what.path);
    duration = gint64 (what.seconds * GST_SECOND);
    if (what.source.kind == Source::Kind::pattern && what.source.frames < 0)
      what.source.frames = std::max (1, int (what.seconds * what.source.rate));
    if (what.source.kind != Source::Kind::file) {
      start ();
      return;
    }
    discoverer = checked_call ([] (GError **error) { return Ref<GstDiscoverer>::take (gst_discoverer_new (patience, error)); },
        "GStreamer's discoverer cannot be made");
    discovery = connect<GstDiscovererInfo *, GError *> (
        discoverer.get (), "discovered", [this] (GstDiscovererInfo *info, GError *error) { discovered (info, error); });
    gst_discoverer_start (discoverer.get ());
    gst_discoverer_discover_uri_async (discoverer.get (), what.source.what.c_str ());
  }

  /* Cancels a running export, and removes the file. */
  ~Export ()
  {
    if (discoverer) {
      g_signal_handler_disconnect (discoverer.get (), discovery);
      gst_discoverer_stop (discoverer.get ());
    }
    ended = true;
    end ();
  }

  Export (const Export &) = delete;
  Export &operator= (const Export &) = delete;

  const ExportJob &job () const { return what; }
  /* 0 to 1 */
  double progress () const { return duration > 0 ? std::clamp (double (position) / double (duration), 0.0, 1.0) : 0; }
  /* The remaining time in seconds; nothing while that is unknown. */
  std::optional<double> time_left () const
  {
    const double done = progress (), seconds = double (g_get_monotonic_time () - began) / G_USEC_PER_SEC;
    if (done < 0.01 || seconds < 1)
      return {};
    return seconds / done * (1 - done);
  }

private:
  static constexpr GstClockTime patience = 20 * GST_SECOND;

  static Ref<GstElement> add (const Ref<GstElement> &pipeline, const char *kind)
  {
    const Ref<GstElement> element = make_element (kind);
    gst_bin_add (GST_BIN (pipeline.get ()), element.get ());
    return element;
  }

  void discovered (GstDiscovererInfo *info, const GError *error)
  {
    GList *videos = gst_discoverer_info_get_video_streams (info);
    const bool has_video = videos;
    gst_discoverer_stream_info_list_free (videos);
    /* sound that cannot be decoded is omitted */
    const bool usable = has_video && gst_discoverer_info_get_result (info) != GST_DISCOVERER_ERROR;
    if (!usable) {
      end (Problem{.text = "The source has no video that can be read", .details = error ? error->message : ""});
      return;
    }
    duration = gint64 (gst_discoverer_info_get_duration (info));
    if (what.sound)
      take_sounds (info);
    try {
      start ();
    } catch (const std::exception &failure) {
      end (Problem{.text = failure.what ()});
    }
  }

  /* Takes the first video, and every sound that the file supports. */
  void take_pad (GstPad *pad)
  {
    const Caps caps (gst_pad_query_caps (pad, nullptr));
    const Ref<GstPad> entrance = pad_of (filters.get (), "sink");
    if (is_of (caps.get (), "video/") && !gst_pad_is_linked (entrance.get ()))
      gst_pad_link (pad, entrance.get ());
    else if (is_of (caps.get (), "audio/") && !sounds.empty () && !link_to_encoder (pad))
      GST_ELEMENT_WARNING (pipeline.get (), STREAM, ENCODE, ("The sound cannot be written to this file"), (nullptr));
  }

  /* Streaming thread: records the position, and the size of frames before the encoder gets them. */
  void see (GstPad *pad, GstPadProbeInfo *info)
  {
    if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
      GstEvent *event = gst_pad_probe_info_get_event (info);
      GstVideoInfo video;
      GstCaps *caps = nullptr;
      if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
        gst_event_parse_caps (event, &caps);
      if (caps && encoder && gst_video_info_from_caps (&video, caps))
        set_bit_rate (encoder.get (), what.quality, video);
      return;
    }
    const GstClockTime time = GST_BUFFER_PTS (gst_pad_probe_info_get_buffer (info));
    GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
    if (event && GST_CLOCK_TIME_IS_VALID (time)) {
      const GstSegment *segment = nullptr;
      gst_event_parse_segment (event, &segment);
      position = gint64 (gst_segment_to_running_time (segment, GST_FORMAT_TIME, time));
    }
    g_clear_pointer (&event, gst_event_unref);
  }

  void take_sounds (GstDiscovererInfo *info)
  {
    GList *streams = gst_discoverer_info_get_audio_streams (info);
    for (GList *i = streams; i; i = i->next) {
      const Caps caps (gst_discoverer_stream_info_get_caps (GST_DISCOVERER_STREAM_INFO (i->data)));
      const std::string format = caps ? sound_format (*what.container, caps.get ()) : "";
      if (format.empty ())
        continue;
      const Caps given = plain_format (caps.get ()), wanted (gst_caps_from_string (format.c_str ()));
      if (gst_caps_can_intersect (given.get (), wanted.get ()))
        kept_sounds += ";" + format;
      if (std::ranges::find (sounds, format) == sounds.end ())
        sounds.push_back (format);
    }
    gst_discoverer_stream_info_list_free (streams);
  }

  void start ()
  {
    pipeline = Ref<GstElement> (gst_pipeline_new ("export"));
    encode = add (pipeline, "encodebin");
    const Ref<GstElement> file = add (pipeline, "filesink");
    g_object_set (file.get (), "location", unfinished.c_str (), nullptr);
    g_object_set (encode.get (), "profile", profile ().get (), nullptr);
    ensure (gst_element_link (encode.get (), file.get ()), "GStreamer cannot write " + what.container->title + " files");
    add_filters ();
    add_source ();
    /* encodebin makes its encoder when its pad is requested */
    for_each_element (gst_bin_iterate_recurse (GST_BIN (encode.get ())), [this] (GstElement *element) {
      if (kind_of (element) == what.encoder)
        encoder = Ref<GstElement> (element);
    });
    if (encoder)
      set_quality (encoder.get (), what.quality);
    watch = watch_bus (pipeline.get (), [this] (GstMessage *message) {
      if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
        end ();
      else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
        end (problem_of (message));
    });
    const auto check_length = [] (gpointer data) -> gboolean {
      auto *self = static_cast<Export *> (data);
      if (self->position >= self->duration && !std::exchange (self->stopping, true))
        gst_element_send_event (self->pipeline.get (), gst_event_new_eos ());
      return G_SOURCE_CONTINUE;
    };
    /* a camera's stream has no end */
    if (what.source.kind == Source::Kind::camera)
      timer = g_timeout_add (100, check_length, this);
    gst_element_set_state (pipeline.get (), GST_STATE_PLAYING);
  }

  /* One profile for each format of sound; any number of streams may have it. */
  Ref<GstEncodingProfile> profile () const
  {
    const Caps file (gst_caps_from_string (what.container->caps.c_str ()));
    GstEncodingContainerProfile *whole = gst_encoding_container_profile_new (nullptr, nullptr, file.get (), nullptr);
    const auto found = std::ranges::find (what.container->encoders, what.encoder, &Encoder::factory);
    ensure (found != what.container->encoders.end (), what.encoder + " does not write " + what.container->title + " files");
    const Caps format (gst_caps_from_string (found->format.c_str ()));
    const Caps restriction (gst_caps_from_string (found->takes (what.format).c_str ()));
    /* encodebin makes each stream with a presence at least once, without a request; this one is requested */
    GstEncodingVideoProfile *video = gst_encoding_video_profile_new (format.get (), nullptr, restriction.get (), 0);
    /* each frame of the source becomes one frame of the file */
    gst_encoding_video_profile_set_variableframerate (video, TRUE);
    gst_encoding_profile_set_preset_name (GST_ENCODING_PROFILE (video), what.encoder.c_str ());
    gst_encoding_container_profile_add_profile (whole, GST_ENCODING_PROFILE (video));
    for (const std::string &sound : sounds) {
      const Caps caps (gst_caps_from_string (sound.c_str ()));
      gst_encoding_container_profile_add_profile (
          whole, GST_ENCODING_PROFILE (gst_encoding_audio_profile_new (caps.get (), nullptr, nullptr, 0)));
    }
    return Ref<GstEncodingProfile>::take (GST_ENCODING_PROFILE (whole));
  }

  void add_filters ()
  {
    std::string line = "videoconvert ! ";
    if (!what.format.empty ())
      line += "video/x-raw,format=" + what.format + " ! ";
    if (!what.filters.empty ())
      line += joined (what.filters, " ") + " ! ";
    filters = parse_bin (line + "videoconvert", true, "the filters cannot be made");
    gst_bin_add (GST_BIN (pipeline.get ()), filters.get ());
    const Ref<GstPad> result = pad_of (filters.get (), "src");
    add_probe (result.get (), GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
        [this, pad = result.get ()] (GstPadProbeInfo *info) {
          see (pad, info);
          return GST_PAD_PROBE_OK;
        });
    ensure (link_to_encoder (result.get ()), what.encoder + " cannot take the video");
  }

  void add_source ()
  {
    if (what.source.kind != Source::Kind::file) {
      const Ref<GstElement> source = make_source (what.source);
      gst_bin_add (GST_BIN (pipeline.get ()), source.get ());
      ensure (gst_element_link (source.get (), filters.get ()), "The filters cannot take the video of the source");
      return;
    }
    const Ref<GstElement> decoder = add (pipeline, "uridecodebin");
    const Caps stop (gst_caps_from_string (("video/x-raw(ANY);audio/x-raw" + kept_sounds).c_str ()));
    g_object_set (decoder.get (), "uri", what.source.what.c_str (), "caps", stop.get (), nullptr);
    connect<GstPad *> (decoder.get (), "pad-added", [this] (GstPad *pad) { take_pad (pad); });
  }

  bool link_to_encoder (GstPad *pad)
  {
    const Caps caps (gst_pad_query_caps (pad, nullptr));
    const Caps raw (gst_caps_from_string ("video/x-raw"));
    GstPad *raw_pad = nullptr;
    g_signal_emit_by_name (encode.get (), "request-pad", is_of (caps.get (), "audio/") ? caps.get () : raw.get (), &raw_pad);
    const Ref<GstPad> entrance = Ref<GstPad>::take (raw_pad);
    return entrance && gst_pad_link (pad, entrance.get ()) == GST_PAD_LINK_OK;
  }

  /* Frees its resources, and reports the end unless that was done. */
  void end (std::optional<Problem> problem = {})
  {
    if (timer)
      g_source_remove (std::exchange (timer, 0u));
    if (watch)
      g_source_remove (std::exchange (watch, 0u));
    if (pipeline)
      gst_element_set_state (pipeline.get (), GST_STATE_NULL);
    const bool good = !problem && !ended;
    if (good && g_rename (unfinished.c_str (), what.path.c_str ()) != 0)
      problem = Problem{.text = "The video cannot be written to " + what.path, .details = g_strerror (errno)};
    if (!good)
      g_unlink (unfinished.c_str ());
    if (!std::exchange (ended, true))
      on_end (problem ? &*problem : nullptr);
  }

  ExportJob what;
  std::function<void (const Problem *)> on_end;
  const std::string unfinished;
  const Removal removal{unfinished};
  Ref<GstDiscoverer> discoverer;
  gulong discovery = 0;
  Ref<GstElement> pipeline, filters, encode, encoder;
  /* sound formats of the file, and formats that are copied from the source unchanged */
  std::vector<std::string> sounds;
  std::string kept_sounds;
  guint watch = 0, timer = 0;
  gint64 began = 0, duration = 0;
  std::atomic<gint64> position = 0;
  bool ended = false, stopping = false;
};

}  // namespace studio
