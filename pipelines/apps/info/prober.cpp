/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "report.hpp"

#include <gio/gio.h>

namespace {

/* GST_GL_PLATFORM/GST_GL_WINDOW */
#if defined(G_OS_WIN32)
constexpr const char *gl_kinds[]{"wgl/win32", "egl/win32"};
#elif defined(__APPLE__)
constexpr const char *gl_kinds[]{"cgl/cocoa"};
#else
constexpr const char *gl_kinds[]{"glx/x11", "egl/x11", "egl/wayland", "egl/gbm", "egl/egl-device"};
#endif

constexpr const char *methods[]{"sharing", "external", "staged"};

struct ChildResult {
  /* The document that the child sent. */
  Json told;
  /* How the process ended; empty if it ended normally. */
  std::string ending;
};

using Variables = std::vector<std::pair<const char *, std::string>>;

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

/* The last document in a child's output; empty if it has sent nothing whole. */
Json
parse_told (const std::string &output)
{
  const size_t end = output.rfind ('\n');
  const size_t begin = end == std::string::npos || end == 0 ? std::string::npos : output.rfind ('\n', end - 1);
  const std::string last = end == std::string::npos ? "" : output.substr (begin + 1, end - begin - 1);
  try {
    return parse_json (
        [&last] (JsonParser *parser, GError **error) {
          return json_parser_load_from_data (parser, last.data (), gssize (last.size ()), error);
        },
        "");
  } catch (const std::runtime_error &) {
    return {};
  }
}

/* Runs this program with arguments, with additional environment variables, for at most the given seconds. An empty value
 * removes the variable. verbose: the child's standard error is shown. */
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

/* Why a child has no GL context; "" if it has one, or died later. */
std::string
why_no_context (const ChildResult &result)
{
  if (result.told.has ("kind"))
    return "";
  return result.ending.empty () ? result.told.text ("reason") : result.ending;
}

class Prober {
public:
  explicit Prober (const Options &options) : options (options) {}

  Json run () const
  {
    Json report;
    tell_system (report);
    tell_variables (report);
    list_devices (report, options.device);
    const std::vector<Json> devices = report.items ("devices");
    const std::string chosen = report.group ("choice").text ("device");
    if (options.measure)
      for (const Json &device : devices)
        if (options.device.empty () || device.text ("device") == chosen)
          measure (device);
    tell_cache (report);
    if (options.gl || options.all)
      probe_gl (report);
    if (options.video || options.all) {
      report.add_list ("video");
      for (const Json &device : devices)
        probe_video (report.add_item ("video"), device.text ("device"));
    }
    tell_advice (report);
    return report;
  }

private:
  ChildResult ask (const std::vector<std::string> &arguments, const std::string &gl = "") const
  {
    const size_t slash = gl.find ('/');
    const Variables environment{
        {"GST_GL_PLATFORM", gl.substr (0, slash)}, {"GST_GL_WINDOW", slash == std::string::npos ? "" : gl.substr (slash + 1)}};
    return run_self (arguments, gl.empty () ? Variables{} : environment, unsigned (options.timeout), options.verbose);
  }

  void list_devices (Json report, const std::string &wanted) const
  {
    const ChildResult listed = ask ({"--child=devices", "--device=" + wanted});
    report.group ("system").copy ("opencl-loader", listed.told);
    for (const char *name : {"platforms", "devices"}) {
      report.add_list (name);
      report.copy (name, listed.told);
    }
    report.member ("devices-ending", listed.ending);
    report.add_group ("choice");
    report.copy ("choice", listed.told);
  }

  void measure (Json device) const
  {
    const ChildResult measured = ask ({"--child=figures", "--device=" + device.text ("device")});
    device.copy ("figures", measured.told).copy ("figures-problem", measured.told);
    if (!measured.ending.empty ())
      device.member ("figures-problem", measured.ending);
  }

  /* GStreamer uses another one if it does not know this one. */
  void probe_context (Json to, const std::string &name) const
  {
    const ChildResult result = ask ({"--child=gl"}, name);
    const std::string kind = result.told.text ("kind");
    to.member ("name", name);
    if (kind != name) {
      to.member ("reason", kind.empty () ? why_no_context (result) : "GStreamer makes " + kind + " instead");
      return;
    }
    for (const std::string &each : result.told.names ())
      if (each != "kind")
        to.copy (each.c_str (), result.told);
    to.member ("reason", result.ending);
  }

  void probe_pair (Json to, const std::string &device, const std::string &gl) const
  {
    to.member ("device", device).member ("gl", gl);
    for (const std::string name : methods) {
      const ChildResult result = ask ({"--child=pair", "--device=" + device, "--method=" + name}, gl);
      tell_method (to, name.c_str (), result.ending).copy ("formats", result.told);
    }
  }

  void probe_gl (Json report) const
  {
    Json gl = report.add_group ("gl");
#ifdef HAVE_GL
    const ChildResult usual = ask ({"--child=gl"});
    const std::string reason = why_no_context (usual);
    gl.member ("default", reason.empty () ? usual.told.text ("kind") : "none: " + reason);
    for (const char *name : gl_kinds)
      probe_context (gl.add_item ("contexts"), name);
    gl.add_list ("pairs");
    for (const Json &device : report.items ("devices"))
      for (const Json &context : gl.items ("contexts"))
        if (context.has ("vendor"))
          probe_pair (gl.add_item ("pairs"), device.text ("device"), context.text ("name"));
#else
    gl.member ("default", "none: this build has no GL");
    gl.add_list ("contexts");
    gl.add_list ("pairs");
#endif
  }

  void probe_video (Json to, const std::string &device) const
  {
    const ChildResult result = ask ({"--child=video", "--device=" + device});
    to.member ("device", device).member ("died", result.ending);
    to.add_list ("methods");
    to.copy ("methods", result.told);
  }

  const Options &options;
};

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

Json
make_report (const Options &options)
{
  return Prober (options).run ();
}
