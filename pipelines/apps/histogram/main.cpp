/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-histogram: the histograms of a video, live in a terminal. clhistogram counts on the device and posts messages;
 * the application reads them from the bus and draws bars. There are as many bins as the terminal has columns, and when
 * it is resized the property follows. */
#include "../common/options.hpp"
#include "../demo/pipeline.hpp"
#include "plot.hpp"

#include <chrono>
#include <cstdio>
#include <glib-unix.h>
#include <optional>

namespace {

struct Options {
  std::string file;
  gchar *sink = nullptr;
  gboolean luma = FALSE;
  gint frames = 0;
};

/* One component of a message's content; nothing where the message has no such component. */
std::optional<Curve>
read_curve (const GstStructure *content, int component, const char *name, int color)
{
  const auto field = [component] (const char *what) { return std::string (what) + "-" + std::to_string (component); };
  const GValue *counts = gst_structure_get_value (content, field ("counts").c_str ());
  if (!counts)
    return std::nullopt;
  Curve curve{name, color, {}, 0, 0, 0, 0, 0};
  for (guint bin = 0; bin < gst_value_array_get_size (counts); bin++)
    curve.counts.push_back (g_value_get_uint64 (gst_value_array_get_value (counts, bin)));
  gst_structure_get_uint (content, field ("min").c_str (), &curve.min);
  gst_structure_get_uint (content, field ("max").c_str (), &curve.max);
  gst_structure_get_uint (content, field ("median").c_str (), &curve.median);
  gst_structure_get_double (content, field ("mean").c_str (), &curve.mean);
  gst_structure_get_double (content, field ("stddev").c_str (), &curve.stddev);
  return curve;
}

std::vector<Curve>
read_curves (const GstStructure *content, bool luma)
{
  using Component = std::pair<const char *, int>;
  const std::vector<Component> components =
      luma ? std::vector<Component>{{"luma", 37}} : std::vector<Component>{{"red", 31}, {"green", 32}, {"blue", 34}};
  std::vector<Curve> curves;
  for (size_t i = 0; i < components.size (); i++)
    if (auto curve = read_curve (content, int (i), components[i].first, components[i].second))
      curves.push_back (*curve);
  return curves;
}

class Application {
public:
  explicit Application (const Options &options_)
      : options (options_), pipeline (launch_text (options_), options.file), loop (g_main_loop_new (nullptr, FALSE))
  {
  }

  ~Application () { g_main_loop_unref (loop); }

  void run ()
  {
    fit_bins ();
    const guint watch = watch_bus (pipeline.get (), [this] (GstMessage *message) { handle (message); });
    const guint interrupt = g_unix_signal_add (SIGINT, on_interrupt, this);
    const guint terminate = g_unix_signal_add (SIGTERM, on_interrupt, this);
    const guint resize = g_unix_signal_add (SIGWINCH, on_resize, this);
    pipeline.play ();
    {
      Screen canvas;
      screen = &canvas;
      g_main_loop_run (loop);
      screen = nullptr;
    }
    for (const guint source : {watch, interrupt, terminate, resize})
      g_source_remove (source);
    ensure (failure.empty (), failure);
  }

private:
  static std::string launch_text (const Options &options)
  {
    return source_launch (options.file, options.frames)
           + " ! videoconvert ! video/x-raw,format=" + (options.luma ? "GRAY8" : "RGBx") + " ! clhistogram name=histogram ! "
           + (options.sink ? options.sink : "fakesink sync=true");
  }

  /* A bin a column. */
  void fit_bins ()
  {
    g_object_set (pipeline.element ("histogram").get (), "bins", CLAMP (terminal_size ().columns, 2, 256), nullptr);
  }

  /* Terminals are slower than videos. */
  bool is_time ()
  {
    constexpr std::chrono::milliseconds least_gap{40};
    const auto now = std::chrono::steady_clock::now ();
    if (now - last_shown < least_gap)
      return false;
    last_shown = now;
    return true;
  }

  /* The newest curves, unless they are shown already. */
  void show_last ()
  {
    if (screen && !waiting.empty ())
      screen->show (waiting);
    waiting.clear ();
  }

  void handle (GstMessage *message)
  {
    if (gst_message_has_name (message, "clhistogram")) {
      waiting = read_curves (gst_message_get_structure (message), options.luma);
      if (is_time ())
        show_last ();
    } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      failure = std::string (GST_OBJECT_NAME (GST_MESSAGE_SRC (message))) + ": " + parse_problem (message).first->message;
      g_main_loop_quit (loop);
    } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS) {
      show_last ();
      g_main_loop_quit (loop);
    }
  }

  static gboolean on_interrupt (gpointer data)
  {
    g_main_loop_quit (static_cast<Application *> (data)->loop);
    return G_SOURCE_CONTINUE;
  }

  static gboolean on_resize (gpointer data)
  {
    static_cast<Application *> (data)->fit_bins ();
    return G_SOURCE_CONTINUE;
  }

  const Options &options;
  Pipeline pipeline;
  GMainLoop *loop;
  Screen *screen = nullptr;
  std::vector<Curve> waiting;
  std::chrono::steady_clock::time_point last_shown{};
  std::string failure;
};

}  // namespace

int
main (int argc, char **argv)
{
  Options options;
  const GOptionEntry entries[]{{"luma", 0, 0, G_OPTION_ARG_NONE, &options.luma, "One curve, for the brightness", nullptr},
      {"sink", 0, 0, G_OPTION_ARG_STRING, &options.sink, "Sink for the picture (none)", "ELEMENTS"},
      {"frames", 0, 0, G_OPTION_ARG_INT, &options.frames, "Stop after this many frames", "NUMBER"}, {}};
  return run_program (
      {.program = "cl-histogram",
          .summary = "Draws the histograms of a video in the terminal; Ctrl+C ends. Without FILE it uses a test picture.",
          .entries = entries,
          .file = &options.file,
          .groups = {gst_init_get_option_group ()}},
      argc, argv, [&options] { Application (options).run (); });
}
