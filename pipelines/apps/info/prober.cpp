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
  JsonTree told;
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
  if (json_object_has_member (result.told.get (), "kind"))
    return "";
  return result.ending.empty () ? text_in (result.told.get (), "reason") : result.ending;
}

class Prober {
public:
  explicit Prober (const Wishes &wishes) : wishes (wishes) {}

  JsonTree run () const
  {
    JsonTree made (json_object_new ());
    JsonObject *report = made.get ();
    tell_system (report);
    tell_variables (report);
    list_devices (report, wishes.device);
    const std::vector<JsonObject *> devices = items_in (report, "devices");
    const std::string chosen = text_in (group_in (report, "choice"), "device");
    if (wishes.measure)
      for (JsonObject *device : devices)
        if (wishes.device.empty () || text_in (device, "device") == chosen)
          measure (device);
    tell_cache (report);
    if (wishes.gl)
      probe_gl (report);
    if (wishes.video) {
      tell_list (report, "video");
      for (JsonObject *device : devices)
        probe_video (tell_item (report, "video"), text_in (device, "device"));
    }
    tell_advice (report);
    return made;
  }

private:
  ChildResult ask (const std::vector<std::string> &arguments, const std::string &gl = "") const
  {
    const size_t slash = gl.find ('/');
    const Variables environment{
        {"GST_GL_PLATFORM", gl.substr (0, slash)}, {"GST_GL_WINDOW", slash == std::string::npos ? "" : gl.substr (slash + 1)}};
    return run_self (arguments, gl.empty () ? Variables{} : environment, wishes.seconds, wishes.verbose);
  }

  void list_devices (JsonObject *report, const std::string &wanted) const
  {
    const ChildResult listed = ask ({"--child=devices", "--device=" + wanted});
    tell_same (group_in (report, "system"), "opencl-loader", listed.told.get ());
    tell_list (report, "platforms");
    tell_list (report, "devices");
    for (const char *name : {"platforms", "devices"})
      tell_same (report, name, listed.told.get ());
    tell (report, "devices-ending", listed.ending);
    tell_group (report, "choice");
    tell_same (report, "choice", listed.told.get ());
  }

  void measure (JsonObject *device) const
  {
    const ChildResult measured = ask ({"--child=figures", "--device=" + text_in (device, "device")});
    tell_same (device, "figures", measured.told.get ());
    tell_same (device, "figures-problem", measured.told.get ());
    if (!measured.ending.empty ())
      tell (device, "figures-problem", measured.ending);
  }

  /* GStreamer uses another one if it does not know this one. */
  void probe_context (JsonObject *to, const std::string &name) const
  {
    const ChildResult result = ask ({"--child=gl"}, name);
    const std::string kind = text_in (result.told.get (), "kind");
    tell (to, "name", name);
    if (kind != name) {
      tell (to, "reason", kind.empty () ? why_no_context (result) : "GStreamer makes " + kind + " instead");
      return;
    }
    for (const std::string &each : names_in (result.told.get ()))
      if (each != "kind")
        tell_same (to, each.c_str (), result.told.get ());
    tell (to, "reason", result.ending);
  }

  void probe_pair (JsonObject *to, const std::string &device, const std::string &gl) const
  {
    tell (to, "device", device);
    tell (to, "gl", gl);
    for (const std::string name : methods) {
      const ChildResult result = ask ({"--child=pair", "--device=" + device, "--method=" + name}, gl);
      JsonObject *method = tell_method (to, name.c_str ());
      tell (method, "died", result.ending);
      tell_same (method, "formats", result.told.get ());
    }
  }

  void probe_gl (JsonObject *report) const
  {
    JsonObject *gl = tell_group (report, "gl");
#ifdef HAVE_GL
    const ChildResult usual = ask ({"--child=gl"});
    const std::string reason = why_no_context (usual);
    tell (gl, "default", reason.empty () ? text_in (usual.told.get (), "kind") : "none: " + reason);
    for (const char *name : gl_kinds)
      probe_context (tell_item (gl, "contexts"), name);
    tell_list (gl, "pairs");
    for (JsonObject *device : items_in (report, "devices"))
      for (JsonObject *context : items_in (gl, "contexts"))
        if (json_object_has_member (context, "vendor"))
          probe_pair (tell_item (gl, "pairs"), text_in (device, "device"), text_in (context, "name"));
#else
    tell (gl, "default", "none: this build has no GL");
    tell_list (gl, "contexts");
    tell_list (gl, "pairs");
#endif
  }

  void probe_video (JsonObject *to, const std::string &device) const
  {
    const ChildResult result = ask ({"--child=video", "--device=" + device});
    tell (to, "device", device);
    tell (to, "died", result.ending);
    tell_list (to, "methods");
    tell_same (to, "methods", result.told.get ());
  }

  const Wishes &wishes;
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

JsonTree
make_report (const Wishes &wishes)
{
  return Prober (wishes).run ();
}
