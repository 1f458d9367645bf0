/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "prober.hpp"

#include "config.h"
#include "probes.hpp"

#include <cstdlib>
#include <gst/gst.h>
#ifdef G_OS_UNIX
#include <sys/utsname.h>
#endif

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

#ifdef HAVE_GL
constexpr bool with_gl = true;
#else
constexpr bool with_gl = false;
#endif
#ifdef HAVE_VULKAN
constexpr bool with_vulkan = true;
#else
constexpr bool with_vulkan = false;
#endif

std::string
system_name ()
{
  gchar *pretty = g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME);
  std::string name = pretty ? pretty : "unknown system";
  g_free (pretty);
#ifdef G_OS_UNIX
  utsname uts;
  if (!uname (&uts))
    name += std::string (", ") + uts.sysname + " " + uts.release + " " + uts.machine;
#endif
  return name;
}

std::string
variables ()
{
  std::string set;
  for (const char *name : {"DISPLAY", "WAYLAND_DISPLAY", "GST_GL_PLATFORM", "GST_GL_WINDOW", "GST_GL_API",
           "GST_CL_DEVICE", "GST_CL_BACKEND", "OPENCL_LAYERS", "OCL_ICD_VENDORS", "__GLX_VENDOR_LIBRARY_NAME",
           "__EGL_VENDOR_LIBRARY_FILENAMES", "VK_DRIVER_FILES", "LIBGL_ALWAYS_SOFTWARE"})
    if (const char *value = g_getenv (name))
      set += std::string (set.empty () ? "" : " ") + name + "=" + value;
  return set;
}

Facts
describe_system ()
{
  gchar *version = gst_version_string ();
  const Facts facts{{"plugin", std::string (PACKAGE_NAME " " PACKAGE_VERSION) + (with_gl ? ", with GL" : ", without GL")
                                   + (with_vulkan ? ", with Vulkan" : ", without Vulkan")},
      {"gstreamer", version}, {"system", system_name ()}, {"variables", variables ()}};
  g_free (version);
  return facts;
}

std::vector<Facts>
split_devices (const Facts &facts)
{
  std::vector<Facts> devices;
  for (const auto &each : facts) {
    if (each.first == "device")
      devices.emplace_back ();
    if (!devices.empty ())
      devices.back ().push_back (each);
  }
  return devices;
}

/* "ok 12.5" or "no REASON" */
FormatResult
parse_result (const std::string &format, const std::string &text)
{
  const bool works = text.starts_with ("ok ");
  const std::string rest = text.size () > 3 ? text.substr (3) : "";
  return {format, works, works ? "" : rest, works ? g_ascii_strtod (rest.c_str (), nullptr) : 0};
}

}  // namespace

ChildResult
Prober::ask (const std::vector<std::string> &arguments, const std::string &gl) const
{
  const size_t slash = gl.find ('/');
  const Facts environment{{"GST_GL_PLATFORM", gl.substr (0, slash)},
      {"GST_GL_WINDOW", slash == std::string::npos ? "" : gl.substr (slash + 1)}};
  return run_self (arguments, gl.empty () ? Facts{} : environment, seconds, verbose);
}

std::string
Prober::default_gl () const
{
  const ChildResult result = ask ({"--child=gl"}, "");
  const std::string &kind = fact (result.facts, "kind");
  if (!kind.empty ())
    return kind;
  return "none: " + (result.ending.empty () ? fact (result.facts, "reason") : result.ending);
}

GlKind
Prober::gl_kind (const std::string &name) const
{
  const ChildResult result = ask ({"--child=gl"}, name);
  const std::string &kind = fact (result.facts, "kind");
  if (kind.empty ())
    return {name, {}, result.ending.empty () ? fact (result.facts, "reason") : result.ending};
  /* GStreamer takes another one where it does not know this one */
  if (kind != name)
    return {name, {}, "GStreamer makes " + kind + " instead"};
  return {name, Facts (result.facts.begin () + 1, result.facts.end ()), result.ending};
}

Pair
Prober::pair (const std::string &device, const std::string &gl) const
{
  Pair pair{device, gl, {}};
  for (const std::string method : methods) {
    const ChildResult result = ask ({"--child=pair", "--device=" + device, "--method=" + method}, gl);
    MethodResult outcome{method, {}, result.ending};
    for (const auto &[format, text] : result.facts)
      outcome.formats.push_back (parse_result (format, text));
    pair.methods.push_back (std::move (outcome));
  }
  return pair;
}

Report
Prober::run () const
{
  Report report;
  report.system = describe_system ();
  const ChildResult listed = ask ({"--child=devices"}, "");
  report.devices = split_devices (listed.facts);
  report.devices_ending = listed.ending;
  if (!with_gl) {
    report.default_gl = "none: this build has no GL";
    return report;
  }
  report.default_gl = default_gl ();
  for (const char *name : gl_kinds)
    report.gl.push_back (gl_kind (name));
  for (const Facts &device : report.devices)
    for (const GlKind &gl : report.gl)
      if (!gl.facts.empty ())
        report.pairs.push_back (pair (fact (device, "device"), gl.name));
  return report;
}
