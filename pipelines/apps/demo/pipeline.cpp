/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline.hpp"

#include <cstdio>
#include <unistd.h>

Pipeline::Pipeline (const std::string &launch, const std::string &file)
    : pipeline (parse_launch (launch)), bus (bus_of (pipeline.get ()))
{
  if (!file.empty ())
    g_object_set (element ("file").get (), "location", file.c_str (), nullptr);
}

Ref<GstElement>
Pipeline::element (const std::string &name) const
{
  const Ref<GstElement> found = element_in (pipeline, name);
  ensure (bool (found), "no element " + name);
  return found;
}

void
Pipeline::play ()
{
  if (gst_element_set_state (pipeline.get (), GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE) {
    check ();
    throw std::runtime_error ("the pipeline does not start");
  }
}

/* Returns TRUE at the end of the stream. */
bool
Pipeline::handle (GstMessage *message)
{
  const Message owned (message);
  if (is_fatal (message)) {
    const auto [error, debug] = parse_problem (message);
    throw std::runtime_error (std::string (GST_OBJECT_NAME (GST_MESSAGE_SRC (message))) + ": " + error->message
                              + (debug.empty () ? "" : "\n" + debug));
  }
  return GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
}

void
Pipeline::wait (const std::function<void ()> &tick)
{
  constexpr auto heeded = GstMessageType (GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_EOS);
  for (;;) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus.get (), GST_SECOND / 5, heeded);
    if (message && handle (message))
      return;
    if (tick)
      tick ();
  }
}

void
Pipeline::check ()
{
  constexpr auto failures = GstMessageType (GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  while (GstMessage *message = gst_bus_pop_filtered (bus.get (), failures))
    handle (message);
}

Sample
Pipeline::pull (GstElement *sink)
{
  for (;;) {
    if (GstSample *sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink), GST_SECOND / 10))
      return Sample (sample);
    check ();
    if (gst_app_sink_is_eos (GST_APP_SINK (sink)))
      return {};
  }
}

void
Pipeline::push (GstAppSrc *source, GstBuffer *buffer)
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

std::string
source_launch (const std::string &file, int frames, const std::string &test_picture)
{
  /* identity sends EOS instead of its last frame */
  return (file.empty () ? test_picture : "filesrc name=file ! decodebin ! queue")
         + (frames > 0 ? " ! identity eos-after=" + std::to_string (frames + 1) : "");
}

std::string
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

int
run_show (const char *program, const char *summary, const char *usual_sink, ShowOptions &options, std::vector<Option> more,
    int argc, char **argv, const std::function<void ()> &play)
{
  const std::string sink_help = std::string ("Sink for the picture (") + usual_sink + ")";
  more.push_back ({"sink", 0, &options.sink, sink_help.c_str (), "ELEMENTS"});
  more.push_back ({"frames", 0, &options.frames, "Stop after this many frames", "NUMBER"});
  return run_program ({.program = program,
                          .summary = summary,
                          .options = std::move (more),
                          .file = &options.file,
                          .groups = {gst_init_get_option_group ()}},
      argc, argv, [&play] {
        play ();
        return 0;
      });
}

ProgressLine::ProgressLine (std::string what) : what (std::move (what)), terminal (isatty (STDERR_FILENO))
{
  if (!terminal)
    std::fprintf (stderr, "%s\n", this->what.c_str ());
}

ProgressLine::~ProgressLine ()
{
  if (terminal)
    std::fprintf (stderr, "\r\033[K");
}

void
ProgressLine::show (double fraction)
{
  const int percent = int (100 * CLAMP (fraction, 0.0, 1.0));
  if (!terminal || percent == last)
    return;
  last = percent;
  std::fprintf (stderr, "\r\033[K%s %3d %%", what.c_str (), percent);
}
