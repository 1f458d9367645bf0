/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/microbench.hpp"

#include "report.hpp"

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <string_view>

namespace {

constexpr size_t columns = 80, name_width = 12;

/* Formats value after `indent` columns, in lines of 80 columns, without breaking words. The first line begins with lead. */
std::string
paragraph (const std::string &lead, size_t indent, const std::string &value)
{
  std::string text, line = lead;
  line.resize (std::max (line.size (), indent), ' ');
  bool empty = true;
  std::istringstream words (value);
  for (std::string word; words >> word;) {
    if (!empty && line.size () + 1 + word.size () > columns) {
      text += line + "\n";
      line.assign (indent, ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  return text + line + "\n";
}

/* A name and its value. */
std::string
row (size_t indent, const std::string &name, const std::string &value, size_t width = name_width)
{
  std::string lead (indent, ' ');
  lead += name;
  lead.resize (std::max (lead.size () + 1, indent + width), ' ');
  return paragraph (lead, indent + width, value.empty () ? "(none)" : value);
}

/* Rows for every number and text in an object, with exceptions. */
std::string
rows (JsonObject *object, std::initializer_list<std::string_view> except, size_t indent, size_t width = name_width)
{
  std::string text;
  for (const std::string &name : names_in (object)) {
    JsonNode *node = json_object_get_member (object, name.c_str ());
    if (std::ranges::find (except, name) != except.end () || JSON_NODE_HOLDS_OBJECT (node) || JSON_NODE_HOLDS_ARRAY (node))
      continue;
    if (name.ends_with ("-bytes") && JSON_NODE_HOLDS_VALUE (node))
      text += row (indent, name.substr (0, name.size () - 6), bytes_text (guint64 (json_node_get_int (node))), width);
    else
      text += row (indent, name, text_in (object, name.c_str ()), width);
  }
  return text;
}

/* Formats a date such as "22 Nov 2026", in the local time zone. */
std::string
date (gint64 unix_seconds)
{
  GDateTime *time = g_date_time_new_from_unix_local (unix_seconds);
  if (!time)
    return "at an unknown time";
  const std::string text = text_of (g_date_time_format (time, "%-d %b %Y"));
  g_date_time_unref (time);
  return text;
}

std::string
system_text (JsonObject *system)
{
  const auto is = [system] (const char *name) { return text_in (system, name); };
  std::string text = paragraph ("", 0,
      is ("plugin") + " " + is ("version") + ", " + is ("gstreamer") + ", with" + (is ("gl") == "yes" ? "" : "out")
          + " GL, with" + (is ("vulkan") == "yes" ? "" : "out") + " Vulkan");
  text += paragraph ("", 0, is ("system"));
  return text + (is ("opencl-loader").empty () ? "" : paragraph ("", 0, is ("opencl-loader")));
}

/* Formats a number with three significant digits, such as "4.82" or "1340". */
std::string
short_number (double value)
{
  return printed ("%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
}

std::string
figures_line (JsonObject *device)
{
  JsonObject *figures = group_in (device, "figures");
  if (const std::string problem = text_in (device, "figures-problem"); !problem.empty () && !figures)
    return "could not be measured: " + problem;
  if (!figures)
    return "not measured yet (cl-info --measure)";
  const auto is = [&] (const char *name) { return short_number (number_in (figures, name)); };
  return "copies " + is ("copy-gb-s") + " GB/s, launch " + is ("launch-us") + " us, up " + is ("upload-pinned-gb-s") + ", down "
         + is ("download-pinned-gb-s") + " GB/s (" + date (gint64 (number_in (figures, "measured"))) + ")";
}

std::string
tuned_line (JsonObject *device)
{
  JsonObject *tuned = group_in (device, "tuned");
  const auto is = [tuned] (const char *name) { return text_in (tuned, name); };
  if (!is ("problem").empty ())
    return "the tuning file is ignored: " + is ("problem");
  if (number_in (tuned, "entries") == 0)
    return "not tuned (cl-tune)";
  std::string text = is ("entries") + " tuned kernels, " + is ("improved") + " of them improved";
  if (number_in (tuned, "improved") > 0)
    text += ", by " + is ("mean-gain-percent") + " % in the mean and " + is ("best-gain-percent") + " % at best";
  return text;
}

std::string
short_device (JsonObject *device, bool chosen)
{
  const auto is = [device] (const char *name) { return text_in (device, name); };
  const auto size_of = [device] (const char *name) { return bytes_text (guint64 (number_in (device, name))); };
  constexpr size_t indent = 7;
  std::string text = paragraph ((chosen ? "* " : "  ") + is ("device"), indent, is ("name"));
  const auto add = [&] (const std::string &line) { text += paragraph ("", indent, line); };
  add (is ("rank") + ", " + is ("compute-units") + " compute units; " + is ("platform") + ", driver " + is ("driver"));
  add (size_of ("memory-bytes") + " memory, " + size_of ("local-memory-bytes") + " local memory, work groups up to "
       + is ("max-work-group"));
  add ("host memory " + is ("host-memory") + ", kernels of back end " + is ("backend")
       + (is ("max-image-width").empty () ? ", no images" : ""));
  add (figures_line (device));
  if (const std::string problem = is ("figures-problem"); group_in (device, "figures") && !problem.empty ())
    add ("but " + problem);
  add (tuned_line (device));
  if (const std::string problem = is ("problem"); !problem.empty ())
    add ("but " + problem);
  return text;
}

constexpr size_t wide = 20;

/* 0 means that the device does not support it. */
std::string
figures_text (JsonObject *device)
{
  JsonObject *figures = group_in (device, "figures");
  if (!figures)
    return row (4, "figures", figures_line (device), wide);
  std::string text = "    figures of " + date (gint64 (number_in (figures, "measured"))) + "\n";
  for (const gst::cl::FigureField &field : gst::cl::figure_fields ()) {
    const double value = number_in (figures, field.name);
    text += row (6, field.text, value > 0 ? short_number (value) + " " + field.unit : "cannot", 34);
  }
  const std::string problem = text_in (device, "figures-problem");
  return text + (problem.empty () ? "" : row (4, "but", problem, wide));
}

std::string
full_device (JsonObject *device, bool chosen)
{
  const std::string file = text_in (group_in (device, "tuned"), "file");
  return (chosen ? "* " : "  ") + text_in (device, "device") + "\n"
         + rows (device, {"device", "figures", "figures-problem"}, 4, wide) + row (4, "tuned", tuned_line (device), wide)
         + (file.empty () ? "" : row (4, "tuning file", file, wide)) + figures_text (device);
}

std::string
cache_text (JsonObject *cache)
{
  std::string text = "\nProgram cache\n" + paragraph ("", 2, text_in (cache, "folder"));
  const auto number = [cache] (const char *name) { return gint64 (number_in (cache, name)); };
  if (!number ("entries"))
    return text + "  empty\n";
  const std::string oldest = date (number ("oldest")), newest = date (number ("newest"));
  return text
         + paragraph ("", 2,
             text_in (cache, "entries") + (number ("entries") == 1 ? " program, " : " programs, ")
                 + bytes_text (number ("bytes")) + " of " + bytes_text (number ("limit-bytes")) + ", last used "
                 + (oldest == newest ? newest : "between " + oldest + " and " + newest));
}

/* Rows such as "RGBA 12.0 us, GRAY8 10.1 us", and each reason once with its formats. */
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
  const auto add = [&] (const std::string &part) { text += row (4, text.empty () ? text_in (method, "method") : "", part); };
  if (!working.empty ())
    add (working);
  const bool all = working.empty () && reasons.size () == 1;
  for (const auto &[reason, formats] : reasons)
    add ("no" + (all ? "" : " " + formats) + ": " + reason);
  if (const std::string died = text_in (method, "died"); !died.empty ())
    add ("THE PROBE DIED: " + died);
  return text;
}

/* The methods that `auto` chooses from, by their time for a frame in the most common format. */
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

/* GL contexts, and how devices exchange frames with them. */
std::string
gl_text (JsonObject *gl)
{
  std::string text = "\nGL contexts (GST_GL_PLATFORM/GST_GL_WINDOW)\n" + row (2, "default", text_in (gl, "default"), 16);
  for (JsonObject *context : items_in (gl, "contexts")) {
    const std::string name = text_in (context, "name"), reason = text_in (context, "reason");
    if (!json_object_has_member (context, "vendor"))
      text += row (2, name, "no: " + reason, 16);
    else
      text += "  " + name + "\n" + rows (context, {"name", "reason"}, 4) + (reason.empty () ? "" : row (4, "but", reason));
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

std::string
video_text (const std::vector<JsonObject *> &devices)
{
  std::string text = "\nMemory of decoders and cameras (mean time of a small frame of the trial)\n";
  for (JsonObject *each : devices) {
    text += "  device " + text_in (each, "device") + "\n";
    for (JsonObject *method : items_in (each, "methods"))
      text += method_text (method);
    if (const std::string died = text_in (each, "died"); !died.empty ())
      text += row (4, "but", "THE PROBE DIED: " + died);
  }
  return text;
}

}  // namespace

std::string
to_text (JsonObject *report, bool all)
{
  std::string text = system_text (group_in (report, "system"));
  const std::vector<JsonObject *> platforms = all ? items_in (report, "platforms") : std::vector<JsonObject *> ();
  text += platforms.empty () ? "" : "\nOpenCL platforms\n";
  for (JsonObject *platform : platforms)
    text += "  " + text_in (platform, "platform") + "\n" + rows (platform, {"platform"}, 4, wide);
  text += "\nOpenCL devices\n";
  const std::vector<JsonObject *> devices = items_in (report, "devices");
  if (devices.empty ())
    text += "  none\n";
  JsonObject *choice = group_in (report, "choice");
  for (JsonObject *device : devices) {
    const bool chosen = text_in (device, "device") == text_in (choice, "device");
    text += all ? full_device (device, chosen) : short_device (device, chosen);
  }
  if (const std::string device = text_in (choice, "device"); !device.empty ())
    text += paragraph ("", 2, "The elements take " + device + ": it is " + text_in (choice, "reason") + ".");
  text += cache_text (group_in (report, "cache"));
  JsonObject *variables = group_in (report, "variables");
  const std::vector<std::string> names = names_in (variables);
  text += names.empty () ? "" : "\nEnvironment\n";
  for (const std::string &name : names)
    text += paragraph ("", 4, name + "=" + text_in (variables, name.c_str ())).substr (2);
  if (JsonObject *gl = group_in (report, "gl"))
    text += gl_text (gl);
  if (json_object_has_member (report, "video"))
    text += video_text (items_in (report, "video"));
  JsonArray *advice = json_object_get_array_member (report, "advice");
  for (guint i = 0; i < json_array_get_length (advice); i++)
    text += (i ? "" : "\nAdvice\n") + paragraph ("- ", 2, json_array_get_string_element (advice, i));
  return text;
}

std::string
bytes_text (guint64 count)
{
  std::string text = text_of (g_format_size_full (count, G_FORMAT_SIZE_IEC_UNITS));
  /* GLib puts a no-break space before the unit */
  if (const size_t space = text.find ("\xc2\xa0"); space != std::string::npos)
    text.replace (space, 2, " ");
  return text;
}
