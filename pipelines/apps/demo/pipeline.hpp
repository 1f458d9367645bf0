/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A GStreamer pipeline as a C++ object: made from launch text, run to its end; errors become exceptions. */
#pragma once

#include "../common/glib.hpp"
#include "../common/options.hpp"

#include <cstdio>
#include <functional>
#include <gst/app/app.h>
#include <unistd.h>

class Pipeline {
public:
  /* The element with name=file reads the file, unless `file` is empty. Throws if the text does not parse, or names an element
   * that is not installed. */
  explicit Pipeline (const std::string &launch, const std::string &file_ = "")
      : file (file_), pipeline (parse_launch (launch)), bus (bus_of (pipeline.get ()))
  {
    if (!file.empty ())
      g_object_set (element ("file").get (), "location", file.c_str (), nullptr);
    if (const Ref<GstElement> end = element_in (pipeline, "end"))
      end_at_once (end.get ());
  }

  /* The element with this name=; it must exist. */
  Ref<GstElement> element (const std::string &name) const
  {
    const Ref<GstElement> found = element_in (pipeline, name);
    ensure (bool (found), "no element " + name);
    return found;
  }

  /* Throws if a sink would write over a file that is read. */
  void play ()
  {
    check_files ();
    if (gst_element_set_state (pipeline.get (), GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE) {
      check ();
      throw std::runtime_error ("the pipeline does not start");
    }
  }

  /* Waits for the end of the stream; calls tick five times a second. Throws the pipeline's error. */
  void wait (const Hook<> &tick = {})
  {
    constexpr auto heeded = GstMessageType (GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_EOS);
    for (;;) {
      GstMessage *message = gst_bus_timed_pop_filtered (bus.get (), GST_SECOND / 5, heeded);
      if (message && handle (message))
        return;
      tick ();
    }
  }

  /* Throws if an error has been posted. */
  void check ()
  {
    constexpr auto failures = GstMessageType (GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
    while (GstMessage *message = gst_bus_pop_filtered (bus.get (), failures))
      handle (message);
  }

  /* Throws if this message is the end of all that can play. */
  void check (GstMessage *message) const
  {
    if (!is_fatal (message))
      return;
    /* such a warning says that decodebin has no video for the rest of the pipeline */
    ensure (file.empty () || GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR, "there is no video in " + file);
    const auto [error, debug] = parse_problem (message);
    throw std::runtime_error (
        name_of (GST_MESSAGE_SRC (message)) + ": " + error->message + (debug.empty () ? "" : "\n" + debug));
  }

  /* The next frame of an appsink; null at the end of the stream. Throws the pipeline's error. */
  Sample pull (GstElement *sink)
  {
    for (;;) {
      if (GstSample *sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink), GST_SECOND / 10))
        return Sample (sample);
      check ();
      if (gst_app_sink_is_eos (GST_APP_SINK (sink)))
        return {};
    }
  }

  /* Pushes a buffer into an appsrc, which takes ownership; waits while 64 MiB are queued. Throws like check(). */
  void push (GstAppSrc *source, GstBuffer *buffer)
  {
    constexpr guint64 most_waiting_bytes = 64 << 20;
    Buffer owned (buffer);
    while (gst_app_src_get_current_level_bytes (source) > most_waiting_bytes) {
      check ();
      g_usleep (1000);
    }
    gst_app_src_push_buffer (source, owned.release ());
    check ();
  }

  GstElement *get () const { return pipeline.get (); }

private:
  /* The file that an element reads or writes; "" if there is none. */
  static std::string file_of (gpointer object)
  {
    const GParamSpec *location = spec_of (object, "location");
    return location && location->value_type == G_TYPE_STRING ? text_property (object, "location") : "";
  }

  /* The file of an element that reads or writes one, else the element's name. */
  static std::string name_of (GstObject *object)
  {
    const std::string path = file_of (object);
    return path.empty () ? GST_OBJECT_NAME (object) : path;
  }

  /* Ends the stream at the number of frames that end_after() stored. identity itself would end it when the source has ended, and until
   * then pass the gaps of MP4 files with sound. */
  static void end_at_once (GstElement *end)
  {
    gint until = 0;
    g_object_get (end, "eos-after", &until, nullptr);
    g_object_set (end, "eos-after", -1, nullptr);
    const Ref<GstPad> source = pad_of (end, "src");
    constexpr int passing = GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM;
    add_probe (source.get (), passing, [pad = source.get (), left = until] (GstPadProbeInfo *info) mutable {
      const bool is_event = GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM;
      if (is_event && GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_GAP)
        return GST_PAD_PROBE_OK;
      if (left > 0) {
        left -= !is_event;
        return GST_PAD_PROBE_OK;
      }
      gst_pad_push_event (pad, gst_event_new_eos ());
      gst_mini_object_unref (GST_MINI_OBJECT (GST_PAD_PROBE_INFO_DATA (info)));
      GST_PAD_PROBE_INFO_DATA (info) = nullptr;
      GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_EOS;
      return GST_PAD_PROBE_HANDLED;
    });
  }

  void check_files () const
  {
    std::vector<std::string> read, written;
    for_each_element (gst_bin_iterate_recurse (GST_BIN (pipeline.get ())), [&] (GstElement *element) {
      if (const std::string path = file_of (element); !path.empty ())
        (GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SINK) ? written : read).push_back (path);
    });
    for (const std::string &input : read)
      for (const std::string &output : written)
        ensure_apart (input, output);
  }

  /* Takes ownership of the message. Returns TRUE at the end of the stream. */
  bool handle (GstMessage *message)
  {
    const Message owned (message);
    check (message);
    return GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  }

  const std::string file;
  const Running pipeline;
  const Ref<GstBus> bus;
};

/* An element that ends a stream after so many frames; a Pipeline may have one. */
inline std::string
end_after (int frames)
{
  return "identity name=end eos-after=" + std::to_string (frames);
}

/* The beginning of a launch line: the video of a file, or a test picture if `file` is empty. If frames > 0, it ends after that
 * many. */
inline std::string
source_launch (const std::string &file, int frames,
    const std::string &test_picture = "videotestsrc is-live=true ! video/x-raw,width=640,height=480")
{
  return (file.empty () ? test_picture : "filesrc name=file ! decodebin ! queue")
         + (frames > 0 ? " ! " + end_after (frames) : "");
}

/* Options of programs that show a video: --sink, --frames and a file. */
struct ShowOptions {
  std::string file, sink;
  int frames = 0;
};

/* Parses these options and `more`, and plays. usual_sink: the name of the default sink in --help. Returns the exit status. */
inline int
run_show (const char *program, const char *summary, const char *usual_sink, ShowOptions &options, std::vector<Option> more,
    int argc, char **argv, const std::function<void ()> &play)
{
  const std::string sink_help = std::string ("Sink for the picture (") + usual_sink + ")";
  more.push_back ({"sink", 0, &options.sink, sink_help.c_str (), "ELEMENTS"});
  more.push_back ({"frames", 0, &options.frames, "Stop after this many frames; 0 (default): at the end", "NUMBER"});
  return run_program ({.program = program,
                          .summary = summary,
                          .options = std::move (more),
                          .file = &options.file,
                          .groups = {gst_init_get_option_group ()}},
      argc, argv, [&] {
        if (options.frames < 0)
          refuse_usage ("--frames wants a number, 0 or more");
        play ();
        return 0;
      });
}

/* The sink that shows the video in a window. Throws if there is no display, where the automatic sink would choose a sink that
 * shows nothing. */
inline std::string
window_sink (const char *element)
{
  /* DirectFB crashes without a screen of its own */
  const Ref<GstPluginFeature> direct =
      Ref<GstPluginFeature>::take (gst_registry_lookup_feature (gst_registry_get (), "dfbvideosink"));
  if (direct)
    gst_plugin_feature_set_rank (direct.get (), GST_RANK_NONE);
  Pipeline trial (element);
  bool opened = gst_element_set_state (trial.get (), GST_STATE_READY) != GST_STATE_CHANGE_FAILURE;
  if (GST_IS_BIN (trial.get ()))
    for_each_element (gst_bin_iterate_recurse (GST_BIN (trial.get ())),
        [&opened] (GstElement *sink) { opened = opened && kind_of (sink) != "fakesink"; });
  ensure (opened, "there is no display to open a window on (DISPLAY, WAYLAND_DISPLAY); --sink fakesink plays without one");
  return element;
}

/* A line that is updated in place on a terminal, and omitted elsewhere. */
class ProgressLine {
public:
  explicit ProgressLine (std::string what) : what (std::move (what)), terminal (isatty (STDERR_FILENO))
  {
    if (!terminal)
      std::fprintf (stderr, "%s\n", this->what.c_str ());
  }

  ~ProgressLine ()
  {
    if (terminal)
      std::fprintf (stderr, "\r\033[K");
  }

  void show (double fraction)
  {
    const int percent = int (100 * CLAMP (fraction, 0.0, 1.0));
    if (!terminal || percent == last)
      return;
    last = percent;
    std::fprintf (stderr, "\r\033[K%s %3d %%", what.c_str (), percent);
  }

private:
  std::string what;
  bool terminal;
  int last = -1;
};
