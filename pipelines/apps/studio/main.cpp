/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-studio: a window in which filters are put together, tried out, and saved as a launch line. */
#include "../common/options.hpp"
#include "steps.hpp"
#include "window.hpp"

#include <memory>

using namespace studio;

namespace {

struct Options {
  gchar *filters = nullptr, *screenshot = nullptr;
  gdouble after = 3;
  gchar **steps = nullptr;
  std::string file;
};

struct Program {
  Options options;
  std::unique_ptr<Window> window;
  std::shared_ptr<Steps> steps;
  int status = 0;
};

void
start (Program &program)
{
  Window &window = *program.window;
  const Options &options = program.options;
  const auto attempt = [&window] (const std::function<void ()> &what) {
    try {
      what ();
      return true;
    } catch (const std::exception &error) {
      window.say (error.what (), "");
      return false;
    }
  };
  const bool opened = !options.file.empty () && attempt ([&] { window.open_source (options.file); });
  if (!opened)
    attempt ([&] { window.model ().set_source ({}); });
  if (options.filters)
    attempt ([&] { window.open_line (options.filters); });
  window.changes ().forget ();
  window.model ().play ();
  std::vector<std::string> steps = list_of (options.steps);
  if (options.screenshot) {
    steps.push_back ("wait=" + std::to_string (options.after));
    steps.push_back (std::string ("screenshot=") + options.screenshot);
    steps.push_back ("quit");
  }
  program.steps = run_steps (window, std::move (steps));
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
  } catch (const std::exception &error) {
    g_printerr ("cl-studio: %s\n", error.what ());
    program.status = 1;
    return;
  }
  start (program);
  gtk_window_present (program.window->get ());
}

std::optional<int>
parse (Options &options, int argc, char **argv)
{
  const GOptionEntry entries[] = {{"filters", 'f', 0, G_OPTION_ARG_STRING, &options.filters,
                                      "Filters to begin with, or a whole launch line", "\"clmedian ! clsobel\""},
      {"screenshot", 0, 0, G_OPTION_ARG_FILENAME, &options.screenshot, "Write a picture of the window and quit", "FILE"},
      {"after", 0, 0, G_OPTION_ARG_DOUBLE, &options.after, "When to (3 seconds)", "SECONDS"},
      {"do", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.steps,
          "Do something, as a hand would; may be given many times. --do help lists what", "STEP"},
      {}};
  const CommandLine line{.program = "cl-studio",
      .summary = "Tries out OpenCL filters on live video, and saves them as a gst-launch-1.0 line.",
      .entries = entries,
      .file = &options.file,
      .file_name = "[FILE|URI]",
      .takes_uris = true,
      .groups = {gst_init_get_option_group (), gtk_get_option_group (FALSE)}};
  return parse_command_line (line, argc, argv);
}

}  // namespace

int
main (int argc, char **argv)
{
  Program program;
  if (const std::optional<int> status = parse (program.options, argc, argv))
    return *status;
  if (program.options.steps && g_strv_contains (program.options.steps, "help")) {
    g_print ("%s", steps_help ().c_str ());
    return 0;
  }
  if (!gtk_init_check (&argc, &argv)) {
    g_printerr ("cl-studio: there is no display to show a window on\n");
    return 1;
  }
  const Ref<GtkApplication> application =
      Ref<GtkApplication>::take (gtk_application_new ("org.freedesktop.gstreamer.ClStudio", G_APPLICATION_NON_UNIQUE));
  g_signal_connect (application.get (), "activate", G_CALLBACK (activate), &program);
  const int status = g_application_run (G_APPLICATION (application.get ()), 0, nullptr);
  program.steps.reset ();
  program.window.reset ();
  return status ? status : program.status;
}
