/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-studio: a window in which filters are put together, tried out, and saved as a launch line. */
#include "steps.hpp"
#include "window.hpp"

#include <memory>

using namespace studio;

namespace {

struct Options {
  gchar *filters = nullptr, *screenshot = nullptr;
  gdouble after = 3;
  gchar **steps = nullptr, **files = nullptr;
};

struct Program {
  Options options;
  std::unique_ptr<Window> window;
  std::unique_ptr<Steps> steps;
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
  const bool opened = options.files && options.files[0] && attempt ([&] { window.open_source (options.files[0]); });
  if (!opened)
    attempt ([&] { window.model ().set_source ({}); });
  if (options.filters)
    attempt ([&] { window.open_line (options.filters); });
  window.model ().play ();
  std::vector<std::string> steps;
  for (gchar **step = options.steps; step && *step; step++)
    steps.emplace_back (*step);
  if (options.screenshot) {
    steps.push_back ("wait=" + std::to_string (options.after));
    steps.push_back (std::string ("screenshot=") + options.screenshot);
    steps.push_back ("quit");
  }
  program.steps = std::make_unique<Steps> (window, std::move (steps));
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

bool
parse (Options &options, int &argc, char **&argv)
{
  const GOptionEntry entries[] = {
    {"filters", 'f', 0, G_OPTION_ARG_STRING, &options.filters, "Filters to begin with, or a whole launch line", "\"clmedian ! clsobel\""},
    {"screenshot", 0, 0, G_OPTION_ARG_FILENAME, &options.screenshot, "Write a picture of the window and quit", "FILE"},
    {"after", 0, 0, G_OPTION_ARG_DOUBLE, &options.after, "When to (3 seconds)", "SECONDS"},
    {"do", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.steps, "Do something, as a hand would; may be given many times. --do help lists what", "STEP"},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.files, nullptr, "[FILE|URI]"}, {}};
  GOptionContext *context = g_option_context_new (nullptr);
  g_option_context_set_summary (context, "Tries out OpenCL filters on live video, and saves them as a gst-launch-1.0 line.");
  g_option_context_add_main_entries (context, entries, nullptr);
  g_option_context_add_group (context, gst_init_get_option_group ());
  g_option_context_add_group (context, gtk_get_option_group (FALSE));
  GError *error = nullptr;
  const bool parsed = g_option_context_parse (context, &argc, &argv, &error);
  g_option_context_free (context);
  if (!parsed) {
    g_printerr ("cl-studio: %s\n", error->message);
    g_error_free (error);
  }
  return parsed;
}

}  // namespace

int
main (int argc, char **argv)
{
  Program program;
  if (!parse (program.options, argc, argv))
    return 2;
  for (gchar **step = program.options.steps; step && *step; step++) {
    if (std::string (*step) == "help") {
      g_print ("%s", Steps::help ());
      return 0;
    }
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
