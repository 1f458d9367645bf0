/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-studio: a window in which users combine filters, try them, and save them as a launch line. */
#include "../common/options.hpp"
#include "examples.hpp"
#include "window.hpp"

#include <map>

using namespace studio;

namespace {

constexpr guint pause_ms = 20;

using Text = const std::string &;

struct Act {
  const char *arguments;
  void (*run) (Window &window, Text argument);
};

double
real (Text text)
{
  gchar *end = nullptr;
  const double value = g_ascii_strtod (text.c_str (), &end);
  ensure (end != text.c_str () && !*end && value >= 0 && value <= 1e6, "it wants a number from 0 to 1000000");
  return value;
}

size_t
number (Text text)
{
  return size_t (real (text));
}

/* The number of a filter that is there. */
size_t
place (Window &window, Text text)
{
  const size_t index = number (text);
  ensure (index < window.model ().filters ().size (), "there is no filter " + text);
  return index;
}

/* The parts of a text before and after the first such character. */
std::pair<std::string, std::string>
halves (Text text, char sign)
{
  const size_t place = text.find (sign);
  return {text.substr (0, place), place == std::string::npos ? "" : text.substr (place + 1)};
}

void
move (Window &window, Text argument)
{
  const auto [from, to] = halves (argument, ',');
  window.filters ().move (place (window, from), place (window, to));
}

void
set (Window &window, Text argument)
{
  const auto [name, value] = halves (argument, '=');
  const std::optional<size_t> selected = window.filters ().selected_index ();
  ensure (bool (selected), "no filter is selected");
  window.model ().set_property (*selected, name, value);
}

const std::map<std::string, Act> acts{
    {"add", {"FILTER", [] (Window &window, Text text) { window.filters ().add (text); }}},
    {"remove", {"INDEX", [] (Window &window, Text text) { window.filters ().remove (place (window, text)); }}},
    {"select", {"INDEX", [] (Window &window, Text text) { window.filters ().select (place (window, text)); }}},
    {"move", {"FROM,TO", move}},
    {"on", {"INDEX", [] (Window &window, Text text) { window.filters ().set_on (place (window, text), true); }}},
    {"off", {"INDEX", [] (Window &window, Text text) { window.filters ().set_on (place (window, text), false); }}},
    {"set", {"PROPERTY=VALUE (of the selected filter)", set}},
    {"undo", {"", [] (Window &window, Text) { window.undo (); }}},
    {"redo", {"", [] (Window &window, Text) { window.undo (true); }}},
    {"source", {"FILE|URI", [] (Window &window, Text text) { window.open_source (text); }}},
    {"chain", {"NAME", [] (Window &window, Text text) { window.open_line (chain_of (text).text); }}},
    {"clipboard", {"FILE (writes what was copied)",
                      [] (Window &, Text path) {
                        write_file (path, text_of (gtk_clipboard_wait_for_text (gtk_clipboard_get (GDK_SELECTION_CLIPBOARD))));
                      }}},
    {"line", {"TEXT", [] (Window &window, Text text) { window.open_line (text); }}},
    {"split", {"SHARE", [] (Window &window, Text text) { window.set_split (real (text)); }}},
    {"format", {"FORMAT", [] (Window &window, Text text) { window.model ().set_format (text); }}},
    {"text",
        {"FILE (into the kernel's editor)", [] (Window &window, Text text) { window.text ().set_text (read_file (text)); }}},
    {"play", {"", [] (Window &window, Text) { window.model ().play (); }}},
    {"pause", {"", [] (Window &window, Text) { window.model ().pause (); }}},
    {"save", {"FILE", [] (Window &window, Text text) { window.save_script_to (text); }}},
    {"frame", {"FILE", [] (Window &window, Text text) { window.save_frame_to (text); }}},
    {"export-dialog", {"", [] (Window &window, Text) { window.exporter ().ask (); }}},
    {"export", {"FILE", [] (Window &window, Text text) { window.exporter ().export_to (text); }}},
    {"zoom", {"FACTOR (0 fits the window)", [] (Window &window, Text text) { window.screen ().zoom ().set (real (text)); }}},
    {"full-screen", {"0|1", [] (Window &window, Text text) { window.set_full_screen (text == "1"); }}},
    {"region", {"0|1", [] (Window &window, Text text) { window.set_drawing_region (text == "1"); }}},
    {"scopes", {"0|1", [] (Window &window, Text text) { window.set_scopes (text == "1"); }}},
    {"drop", {"URI", [] (Window &window, Text text) { window.open_dropped (text); }}},
    {"screenshot", {"FILE", [] (Window &window, Text text) { window.screenshot (text); }}},
    {"quit", {"", [] (Window &window, Text) { gtk_window_close (window.get ()); }}},
};

/* The actions of a user, by name: the command line lists them, and they are run in order, for screenshots, demonstrations and
   tests. */
class Steps {
public:
  /* A step that fails sets the program's exit status. */
  Steps (Window &window, std::vector<std::string> steps, int &status)
      : window (window), steps (std::move (steps)), status (status)
  {
    go_on_in (pause_ms);
  }

  ~Steps () { stop_timer (timer); }

private:
  void next ()
  {
    if (done == steps.size ())
      return;
    const std::string step = steps[done++];
    guint wait = pause_ms;
    try {
      const auto [name, argument] = halves (step, '=');
      wait = run (name, argument);
    } catch (const std::exception &error) {
      g_printerr ("cl-studio: step %s: %s\n", step.c_str (), error.what ());
      window.say (error.what (), "");
      status = 1;
    }
    go_on_in (wait);
  }

  /* Returns how many milliseconds to wait afterwards. */
  guint run (const std::string &name, const std::string &argument)
  {
    if (name == "wait")
      return guint (1000 * real (argument));
    if (name == "await")
      return await (report ().find (argument) != std::string::npos, "await=" + argument);
    if (name == "frames")
      return await_frames (number (argument));
    if (name == "place")
      return print_place (argument);
    const auto act = acts.find (name);
    ensure (name == "report" || act != acts.end (), "there is no such step; --do help lists them");
    if (name == "report")
      g_print ("%s", report ().c_str ());
    else
      act->second.run (window, argument);
    return pause_ms;
  }

  std::string report () const
  {
    Model &model = window.model ();
    return "line: " + launch_line (model.words ()) + "\n"
           + printed ("frames: %" G_GUINT64_FORMAT "\nsplit: %.3f\n", model.split ().frames (), model.split ().position ())
           + "status: " + window.status () + "\nmessage: " + window.message ()
           + "\nregion: " + window.screen ().region ().text ()
           + printed ("\nzoom: %.2f\nfull-screen: %d", window.screen ().zoom ().shown (), int (window.is_full_screen ()))
           + "\nbuild: " + window.text ().log () + "\n";
  }

  void go_on_in (guint milliseconds)
  {
    timer = every (milliseconds, [this] {
      timer = 0;
      next ();
      return false;
    });
  }

  /* Repeats the step until its condition holds, for up to a minute. */
  guint await (bool is_there, const std::string &step)
  {
    constexpr guint look_ms = 50, patience_ms = 60000;
    waited += look_ms;
    if (!is_there && waited < patience_ms) {
      --done;
      return look_ms;
    }
    if (!is_there) {
      g_print ("step %s: in vain\n%s", step.c_str (), report ().c_str ());
      status = 1;
    }
    waited = 0;
    return pause_ms;
  }

  guint await_frames (guint64 n)
  {
    const guint64 now = window.model ().split ().frames ();
    if (!waited)
      frames_before = now;
    return await (now >= frames_before + n, "frames");
  }

  /* For programs that move the pointer. */
  guint print_place (const std::string &name)
  {
    const std::optional<GdkRectangle> place = place_of (name);
    /* a widget that has just appeared may still move */
    const GdkRectangle before = std::exchange (last_place, place.value_or (GdkRectangle{}));
    const bool stands = waited && place && place->width > 1 && gdk_rectangle_equal (&before, &*place);
    if (stands)
      g_print ("place: %s %d %d %d %d\n", name.c_str (), place->x, place->y, place->width, place->height);
    return await (stands, "place=" + name);
  }

  Window &window;
  std::vector<std::string> steps;
  int &status;
  size_t done = 0;
  guint timer = 0, waited = 0;
  guint64 frames_before = 0;
  GdkRectangle last_place = {};
};

struct Program {
  std::string filters, file;
  std::filesystem::path screenshot;
  double after = 3;
  std::vector<std::string> to_do;
  std::unique_ptr<Window> window;
  std::unique_ptr<Steps> steps;
  int status = 0;
};

/* Throws if there is nothing to make a picture of. */
void
start (Program &program)
{
  Window &window = *program.window;
  const auto attempt = [&] (const std::function<void ()> &what) {
    try {
      what ();
      return true;
    } catch (const std::exception &error) {
      if (!program.screenshot.empty ())
        throw;
      window.say (error.what (), "");
      return false;
    }
  };
  const bool opened = !program.file.empty () && attempt ([&] { window.open_source (program.file); });
  if (!opened)
    attempt ([&] { window.model ().set_source ({}); });
  if (!program.filters.empty ())
    attempt ([&] { window.open_line (program.filters); });
  window.changes ().forget ();
  window.model ().play ();
  std::vector<std::string> steps = program.to_do;
  if (!program.screenshot.empty ())
    steps.insert (
        steps.end (), {"wait=" + std::to_string (program.after), "screenshot=" + program.screenshot.string (), "quit"});
  program.steps = std::make_unique<Steps> (window, std::move (steps), program.status);
}

void
activate (GtkApplication *application, gpointer data)
{
  auto &program = *static_cast<Program *> (data);
  if (program.window) {
    gtk_window_present (program.window->get ());
    return;
  }
  try {
    program.window = std::make_unique<Window> (application);
    start (program);
  } catch (const std::exception &error) {
    g_printerr ("cl-studio: %s\n", error.what ());
    program.status = 1;
    g_application_quit (G_APPLICATION (application));
    return;
  }
  gtk_window_present (program.window->get ());
}

int
run (Program &program)
{
  if (std::ranges::find (program.to_do, "help") != program.to_do.end ()) {
    for (const auto &[name, act] : acts)
      g_print ("%s%s%s\n", name.c_str (), *act.arguments ? "=" : "", act.arguments);
    g_print ("wait=SECONDS\nframes=NUMBER (to wait for)\nawait=TEXT (in the report)\nreport\n"
             "place=WIDGET (prints where it is)\n");
    return 0;
  }
  if (!(program.after >= 0 && program.after <= 1e6))
    refuse_usage ("--after wants seconds, from 0 to 1000000");
  ensure (gtk_init_check (nullptr, nullptr), "there is no display to show a window on");
  const Ref<GtkApplication> application =
      Ref<GtkApplication>::take (gtk_application_new ("org.freedesktop.gstreamer.ClStudio", G_APPLICATION_NON_UNIQUE));
  g_signal_connect (application.get (), "activate", G_CALLBACK (activate), &program);
  const int status = g_application_run (G_APPLICATION (application.get ()), 0, nullptr);
  program.steps.reset ();
  program.window.reset ();
  return status ? status : program.status;
}

}  // namespace

int
main (int argc, char **argv)
{
  Program program;
  return run_program (
      {.program = "cl-studio",
          .summary = "Tries out OpenCL filters on live video, and saves them as a gst-launch-1.0 line.",
          .options = {{"filters", 'f', &program.filters, "Filters to begin with, or a whole launch line",
                          "\"clmedian ! clsobel\""},
              {"screenshot", 0, &program.screenshot, "Write a picture of the window and quit", "FILE"},
              {"after", 0, &program.after, "Write it after so many seconds (3)", "SECONDS"},
              {"do", 0, &program.to_do, "Do what a user would do; may be given many times. --do help lists the steps", "STEP"}},
          .file = &program.file,
          .file_name = "[FILE|URI]",
          .takes_uris = true,
          .groups = {gst_init_get_option_group (), gtk_get_option_group (FALSE)}},
      argc, argv, [&program] { return run (program); });
}
