/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gltext.hpp"

#include "../common/glib.hpp"
#include "layout.hpp"

/* Rows: "RGBA 12.0 us, GRAY8 10.1 us", and each reason once with the formats that it holds for. */
std::string
method_text (const MethodResult &method)
{
  std::vector<std::string> parts;
  std::string working;
  for (const FormatResult &each : method.formats)
    if (each.works)
      working += (working.empty () ? "" : ", ") + each.format + printed (" %.1f us", each.microseconds);
  if (!working.empty ())
    parts.push_back (working);
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const FormatResult &each : method.formats) {
    if (each.works)
      continue;
    size_t i = 0;
    while (i < reasons.size () && reasons[i].first != each.reason)
      i++;
    if (i == reasons.size ())
      reasons.emplace_back (each.reason, each.format);
    else
      reasons[i].second += ", " + each.format;
  }
  const bool all = working.empty () && reasons.size () == 1;
  for (const auto &[reason, formats] : reasons)
    parts.push_back ("no" + (all ? "" : " " + formats) + ": " + reason);
  if (!method.ending.empty ())
    parts.push_back ("THE PROBE DIED: " + method.ending);
  std::string text;
  for (const std::string &part : parts)
    text += layout::row (4, text.empty () ? method.method : "", part);
  return text;
}

namespace {

/* The ways that auto chooses from, by the frame's time in the most common format. */
std::string
best_of (const Pair &pair)
{
  const MethodResult *best = nullptr;
  double time = 0;
  for (const MethodResult &method : pair.methods) {
    const FormatResult *first = method.formats.empty () ? nullptr : &method.formats[0];
    if (!first || !first->works || !method.ending.empty () || (method.method == "staged" && best))
      continue;
    if (!best || first->microseconds < time)
      best = &method, time = first->microseconds;
  }
  return best ? best->method + " (" + best->formats[0].format + ")" : "nothing works";
}

}  // namespace

std::string
gl_text (const GlReport &report)
{
  using layout::row;
  std::string text = "\nGL contexts (GST_GL_PLATFORM/GST_GL_WINDOW)\n" + row (2, "default", report.default_gl, 16);
  for (const GlKind &gl : report.kinds) {
    if (gl.facts.empty ())
      text += row (2, gl.name, "no: " + gl.reason, 16);
    else
      text += "  " + gl.name + "\n" + layout::rows (gl.facts, 0, 4) + (gl.reason.empty () ? "" : row (4, "but", gl.reason));
  }

  text += "\nWhat they do together (mean time of a small frame of the self-test)\n";
  if (report.pairs.empty ())
    text += "  nothing: there is no pair of a device and a GL context\n";
  for (const Pair &pair : report.pairs) {
    text += "  device " + pair.device + " with " + pair.gl + "\n";
    for (const MethodResult &method : pair.methods)
      text += method_text (method);
    text += row (4, "auto takes", best_of (pair));
  }
  return text;
}
