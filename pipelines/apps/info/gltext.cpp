/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "layout.hpp"
#include "report.hpp"

#include <algorithm>

/* Rows: "RGBA 12.0 us, GRAY8 10.1 us", and each reason once with the formats that it holds for. */
std::string
method_text (JsonObject *method)
{
  std::string working;
  std::vector<std::pair<std::string, std::string>> reasons;
  for (JsonObject *each : items_in (method, "formats")) {
    const std::string format = text_in (each, "format"), reason = text_in (each, "reason");
    if (json_object_get_boolean_member (each, "works"))
      working += (working.empty () ? "" : ", ") + format + " " + text_in (each, "microseconds") + " us";
    else if (const auto known = std::ranges::find (reasons, reason, [] (const auto &pair) { return pair.first; });
             known != reasons.end ())
      known->second += ", " + format;
    else
      reasons.emplace_back (reason, format);
  }
  std::string text;
  const auto add = [&] (const std::string &part) {
    text += layout::row (4, text.empty () ? text_in (method, "method") : "", part);
  };
  if (!working.empty ())
    add (working);
  const bool all = working.empty () && reasons.size () == 1;
  for (const auto &[reason, formats] : reasons)
    add ("no" + (all ? "" : " " + formats) + ": " + reason);
  if (const std::string died = text_in (method, "died"); !died.empty ())
    add ("THE PROBE DIED: " + died);
  return text;
}

namespace {

/* The ways that auto chooses from, by the frame's time in the most common format. */
std::string
best_of (JsonObject *pair)
{
  JsonObject *best = nullptr, *best_format = nullptr;
  for (JsonObject *method : items_in (pair, "methods")) {
    const std::vector<JsonObject *> formats = items_in (method, "formats");
    if (formats.empty () || !json_object_get_boolean_member (formats[0], "works") || !text_in (method, "died").empty ()
        || (text_in (method, "method") == "staged" && best))
      continue;
    if (!best || number_in (formats[0], "microseconds") < number_in (best_format, "microseconds"))
      best = method, best_format = formats[0];
  }
  return best ? text_in (best, "method") + " (" + text_in (best_format, "format") + ")" : "nothing works";
}

}  // namespace

std::string
gl_text (JsonObject *gl)
{
  using layout::row;
  std::string text = "\nGL contexts (GST_GL_PLATFORM/GST_GL_WINDOW)\n" + row (2, "default", text_in (gl, "default"), 16);
  for (JsonObject *context : items_in (gl, "contexts")) {
    const std::string name = text_in (context, "name"), reason = text_in (context, "reason");
    if (!json_object_has_member (context, "vendor"))
      text += row (2, name, "no: " + reason, 16);
    else
      text +=
          "  " + name + "\n" + layout::rows (context, {"name", "reason"}, 4) + (reason.empty () ? "" : row (4, "but", reason));
  }

  text += "\nWhat they do together (mean time of a small frame of the self-test)\n";
  const std::vector<JsonObject *> pairs = items_in (gl, "pairs");
  if (pairs.empty ())
    text += "  nothing: there is no pair of a device and a GL context\n";
  for (JsonObject *pair : pairs) {
    text += "  device " + text_in (pair, "device") + " with " + text_in (pair, "gl") + "\n";
    for (JsonObject *method : items_in (pair, "methods"))
      text += method_text (method);
    text += row (4, "auto takes", best_of (pair));
  }
  return text;
}
