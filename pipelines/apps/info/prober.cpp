/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "prober.hpp"

#include "advice.hpp"
#include "config.h"
#include "system.hpp"

#include <glib.h>

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
  const Facts environment{
      {"GST_GL_PLATFORM", gl.substr (0, slash)}, {"GST_GL_WINDOW", slash == std::string::npos ? "" : gl.substr (slash + 1)}};
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

void
Prober::list_devices (Report &report, const std::string &wanted) const
{
  const ChildResult listed = ask ({"--child=devices", "--device=" + wanted}, "");
  report.devices_ending = listed.ending;
  Facts *group = nullptr;
  for (const auto &each : listed.facts) {
    if (each.first != group_begins) {
      if (group)
        group->push_back (each);
    } else if (each.second == "loader") {
      group = &report.system;
    } else if (each.second == "platform") {
      group = &report.platforms.emplace_back ();
    } else if (each.second == "device") {
      group = &report.devices.emplace_back ().facts;
    } else if (each.second == "figures") {
      group = &report.devices.back ().figures;
    } else if (each.second == "tuned") {
      group = &report.devices.back ().tuned;
    } else {
      group = &report.choice;
    }
  }
}

void
Prober::measure (DeviceReport &device) const
{
  const ChildResult measured = ask ({"--child=figures", "--device=" + device.facts[0].second}, "");
  device.figures_problem = measured.ending.empty () ? fact (measured.facts, "problem") : measured.ending;
  if (fact (measured.facts, group_begins) != "figures")
    return;
  device.figures.clear ();
  for (const auto &each : measured.facts)
    if (each.first != group_begins && each.first != "problem")
      device.figures.push_back (each);
}

GlReport
Prober::probe_gl (const Report &report) const
{
  GlReport gl;
#ifdef HAVE_GL
  gl.default_gl = default_gl ();
  for (const char *name : gl_kinds)
    gl.kinds.push_back (gl_kind (name));
  for (const DeviceReport &device : report.devices)
    for (const GlKind &kind : gl.kinds)
      if (!kind.facts.empty ())
        gl.pairs.push_back (pair (device.facts[0].second, kind.name));
#else
  gl.default_gl = "none: this build has no GL";
#endif
  return gl;
}

/* A way's results stand together. */
VideoReport
Prober::probe_video (const std::string &device) const
{
  const ChildResult result = ask ({"--child=video", "--device=" + device}, "");
  VideoReport video{device, {}, result.ending};
  for (const auto &[name, text] : result.facts) {
    const size_t slash = name.find ('/');
    const std::string method = name.substr (0, slash);
    if (video.methods.empty () || video.methods.back ().method != method)
      video.methods.push_back ({method, {}, ""});
    video.methods.back ().formats.push_back (parse_result (name.substr (slash + 1), text));
  }
  return video;
}

Report
Prober::run (const Wishes &wishes) const
{
  Report report;
  report.system = describe_system ();
  report.variables = find_variables ();
  list_devices (report, wishes.device);
  if (wishes.measure)
    for (DeviceReport &device : report.devices)
      if (wishes.device.empty () || device.facts[0].second == fact (report.choice, "device"))
        measure (device);
  if (wishes.gl)
    report.gl = probe_gl (report);
  if (wishes.video) {
    report.video.emplace ();
    for (const DeviceReport &device : report.devices)
      report.video->push_back (probe_video (device.facts[0].second));
  }
  report.cache = describe_cache ();
  report.advice = give_advice (report);
  return report;
}
