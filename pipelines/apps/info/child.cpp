/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "child.hpp"

#include "../common/glib.hpp"

#include <gio/gio.h>

namespace {

std::string self;

std::string
take_text (GBytes *bytes)
{
  gsize size = 0;
  const auto *data = bytes ? static_cast<const char *> (g_bytes_get_data (bytes, &size)) : nullptr;
  std::string text (data ? data : "", size);
  if (bytes)
    g_bytes_unref (bytes);
  return text;
}

std::string
last_line (const std::string &text)
{
  const size_t end = text.find_last_not_of ("\n\r ");
  if (end == std::string::npos)
    return "";
  const size_t begin = text.find_last_of ('\n', end);
  return text_of (g_utf8_make_valid (text.substr (begin + 1, end - begin).c_str (), -1));
}

std::string
describe_end (GSubprocess *child, bool timed_out, unsigned seconds, const std::string &errors)
{
  if (timed_out)
    return "no answer within " + std::to_string (seconds) + " s";
  std::string ending;
  if (g_subprocess_get_if_signaled (child)) {
    const int number = g_subprocess_get_term_sig (child);
    ending = "crashed with signal " + std::to_string (number) + " (" + g_strsignal (number) + ")";
  } else if (!g_subprocess_get_successful (child)) {
    ending = "ended with status " + std::to_string (g_subprocess_get_exit_status (child));
  } else {
    return "";
  }
  const std::string said = last_line (errors);
  return said.empty () ? ending : ending + ", its last output: " + said;
}

Ref<GSubprocess>
start (const std::vector<std::string> &arguments, const Variables &environment, bool verbose, GError **error)
{
  const auto flags =
      GSubprocessFlags (G_SUBPROCESS_FLAGS_STDOUT_PIPE | (verbose ? G_SUBPROCESS_FLAGS_NONE : G_SUBPROCESS_FLAGS_STDERR_PIPE));
  const auto launcher = Ref<GSubprocessLauncher>::take (g_subprocess_launcher_new (flags));
  for (const auto &[name, value] : environment) {
    if (value.empty ())
      g_subprocess_launcher_unsetenv (launcher.get (), name);
    else
      g_subprocess_launcher_setenv (launcher.get (), name, value.c_str (), TRUE);
  }
  std::vector<const gchar *> argv{self.c_str ()};
  for (const std::string &argument : arguments)
    argv.push_back (argument.c_str ());
  argv.push_back (nullptr);
  return Ref<GSubprocess>::take (g_subprocess_launcher_spawnv (launcher.get (), argv.data (), error));
}

}  // namespace

void
remember_self (const char *argv0)
{
#ifdef __linux__
  self = text_of (g_file_read_link ("/proc/self/exe", nullptr));
#else
  self = text_of (g_find_program_in_path (argv0));
#endif
  if (self.empty ())
    self = argv0;
}

ChildResult
run_self (const std::vector<std::string> &arguments, const Variables &environment, unsigned seconds, bool verbose)
{
  GError *error = nullptr;
  const Ref<GSubprocess> child = start (arguments, environment, verbose, &error);
  const Error owned (error);
  if (!child)
    return {parse_told (""), error->message};
  struct Watch {
    GSubprocess *child;
    Ref<GAsyncResult> ended = {};
    bool timed_out = false;
  } watch{child.get ()};
  const auto on_end = [] (GObject *, GAsyncResult *result, gpointer data) {
    static_cast<Watch *> (data)->ended = Ref<GAsyncResult> (result);
  };
  const auto on_timeout = [] (gpointer data) -> gboolean {
    static_cast<Watch *> (data)->timed_out = true;
    g_subprocess_force_exit (static_cast<Watch *> (data)->child);
    return G_SOURCE_REMOVE;
  };
  const guint timer = g_timeout_add_seconds (seconds, on_timeout, &watch);
  g_subprocess_communicate_async (child.get (), nullptr, nullptr, on_end, &watch);
  while (!watch.ended)
    g_main_context_iteration (nullptr, TRUE);
  if (!watch.timed_out)
    g_source_remove (timer);
  GBytes *output = nullptr, *errors = nullptr;
  g_subprocess_communicate_finish (child.get (), watch.ended.get (), &output, &errors, nullptr);
  g_subprocess_wait (child.get (), nullptr, nullptr);
  const std::string told = take_text (output), said = take_text (errors);
  return {parse_told (told), describe_end (child.get (), watch.timed_out, seconds, said)};
}
