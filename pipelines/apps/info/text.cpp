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
  std::string text, line = lead, plain = value;
  line.resize (std::max (line.size (), indent), ' ');
  bool empty = true;
  std::ranges::replace_if (
      plain, [] (char c) { return static_cast<unsigned char> (c) < ' '; }, ' ');
  std::istringstream words (plain);
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
rows (Json object, std::initializer_list<std::string_view> except, size_t indent, size_t width = name_width)
{
  std::string text;
  for (const std::string &name : object.names ()) {
    JsonNode *node = object.node (name.c_str ());
    if (std::ranges::find (except, name) != except.end () || JSON_NODE_HOLDS_OBJECT (node) || JSON_NODE_HOLDS_ARRAY (node))
      continue;
    if (name.ends_with ("-bytes") && JSON_NODE_HOLDS_VALUE (node))
      text += row (indent, name.substr (0, name.size () - 6), bytes_text (object.integer (name.c_str ())), width);
    else
      text += row (indent, name, object.text (name.c_str ()), width);
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
system_text (Json system)
{
  const auto is = [system] (const char *name) { return system.text (name); };
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
figures_line (Json device)
{
  Json figures = device.group ("figures");
  if (const std::string problem = device.text ("figures-problem"); !problem.empty () && !figures)
    return "could not be measured: " + problem;
  if (!figures)
    return "not measured yet (cl-info --measure)";
  const auto is = [&] (const char *name) { return short_number (figures.number (name)); };
  return "copies " + is ("copy-gb-s") + " GB/s, launch " + is ("launch-us") + " us, up " + is ("upload-pinned-gb-s") + ", down "
         + is ("download-pinned-gb-s") + " GB/s (" + date (gint64 (figures.number ("measured"))) + ")";
}

std::string
tuned_line (Json device)
{
  Json tuned = device.group ("tuned");
  const auto is = [tuned] (const char *name) { return tuned.text (name); };
  if (!is ("problem").empty ())
    return "the tuning file is ignored: " + is ("problem");
  if (tuned.number ("entries") == 0)
    return "not tuned (cl-tune)";
  std::string text = is ("entries") + " tuned kernels, " + is ("improved") + " of them improved";
  if (tuned.number ("improved") > 0)
    text += ", by " + is ("mean-gain-percent") + " % in the mean and " + is ("best-gain-percent") + " % at best";
  return text;
}

std::string
short_device (Json device, bool chosen)
{
  const auto is = [device] (const char *name) { return device.text (name); };
  const auto size_of = [device] (const char *name) { return bytes_text (device.integer (name)); };
  constexpr size_t indent = 7;
  std::string text = paragraph ((chosen ? "* " : "  ") + is ("device"), indent, is ("name"));
  const auto add = [&] (const std::string &line) { text += paragraph ("", indent, line); };
  add (is ("rank") + ", " + is ("compute-units") + " compute units; " + is ("platform") + ", driver " + is ("driver"));
  add (size_of ("memory-bytes") + " memory, " + size_of ("local-memory-bytes") + " local memory, work groups up to "
       + is ("max-work-group"));
  add ("host memory " + is ("host-memory") + ", kernels of back end " + is ("backend")
       + (is ("max-image-width").empty () ? ", no images" : ""));
  add (figures_line (device));
  if (const std::string problem = is ("figures-problem"); device.group ("figures") && !problem.empty ())
    add ("but " + problem);
  add (tuned_line (device));
  if (const std::string problem = is ("problem"); !problem.empty ())
    add ("but " + problem);
  return text;
}

constexpr size_t wide = 20;

/* 0 means that the device does not support it. */
std::string
figures_text (Json device)
{
  Json figures = device.group ("figures");
  if (!figures)
    return row (4, "figures", figures_line (device), wide);
  std::string text = "    figures of " + date (gint64 (figures.number ("measured"))) + "\n";
  for (const gst::cl::FigureField &field : gst::cl::figure_fields ()) {
    const double value = figures.number (field.name);
    text += row (6, field.text, value > 0 ? short_number (value) + " " + field.unit : "cannot", 34);
  }
  const std::string problem = device.text ("figures-problem");
  return text + (problem.empty () ? "" : row (4, "but", problem, wide));
}

std::string
full_device (Json device, bool chosen)
{
  const std::string file = device.group ("tuned").text ("file");
  return (chosen ? "* " : "  ") + device.text ("device") + "\n"
         + rows (device, {"device", "figures", "figures-problem"}, 4, wide) + row (4, "tuned", tuned_line (device), wide)
         + (file.empty () ? "" : row (4, "tuning file", file, wide)) + figures_text (device);
}

std::string
cache_text (Json cache)
{
  std::string text = "\nProgram cache\n" + paragraph ("", 2, cache.text ("folder"));
  const auto number = [cache] (const char *name) { return gint64 (cache.number (name)); };
  if (!number ("entries"))
    return text + "  empty\n";
  const std::string oldest = date (number ("oldest")), newest = date (number ("newest"));
  return text
         + paragraph ("", 2,
             cache.text ("entries") + (number ("entries") == 1 ? " program, " : " programs, ") + bytes_text (number ("bytes"))
                 + " of " + bytes_text (number ("limit-bytes")) + ", last used "
                 + (oldest == newest ? newest : "between " + oldest + " and " + newest));
}

/* Rows such as "RGBA 12.0 us, GRAY8 10.1 us", and each reason once with its formats. */
std::string
method_text (const Json &method)
{
  std::string working;
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const Json &each : method.items ("formats")) {
    const std::string format = each.text ("format"), reason = each.text ("reason");
    if (each.is_true ("works"))
      working += (working.empty () ? "" : ", ") + format + " " + each.text ("microseconds") + " us";
    else if (const auto known = std::ranges::find (reasons, reason, [] (const auto &pair) { return pair.first; });
             known != reasons.end ())
      known->second += ", " + format;
    else
      reasons.emplace_back (reason, format);
  }
  std::string text;
  const auto add = [&] (const std::string &part) { text += row (4, text.empty () ? method.text ("method") : "", part); };
  if (!working.empty ())
    add (working);
  const bool all = working.empty () && reasons.size () == 1;
  for (const auto &[reason, formats] : reasons)
    add ("no" + (all ? "" : " " + formats) + ": " + reason);
  if (const std::string died = method.text ("died"); !died.empty ())
    add ("THE PROBE DIED: " + died);
  return text;
}

/* The methods that `auto` chooses from, by their time for a frame in the most common format. */
std::string
best_of (Json pair)
{
  Json best (nullptr), best_format (nullptr);
  for (const Json &method : pair.items ("methods")) {
    const std::vector<Json> formats = method.items ("formats");
    if (formats.empty () || !formats[0].is_true ("works") || !method.text ("died").empty ()
        || (method.text ("method") == "staged" && best))
      continue;
    if (!best || formats[0].number ("microseconds") < best_format.number ("microseconds"))
      best = method, best_format = formats[0];
  }
  return best ? best.text ("method") + " (" + best_format.text ("format") + ")" : "nothing works";
}

/* GL contexts, and how devices exchange frames with them. */
std::string
gl_text (Json gl)
{
  std::string text = "\nGL contexts (GST_GL_PLATFORM/GST_GL_WINDOW)\n" + row (2, "default", gl.text ("default"), 16);
  for (const Json &context : gl.items ("contexts")) {
    const std::string name = context.text ("name"), reason = context.text ("reason");
    if (!context.has ("vendor"))
      text += row (2, name, "no: " + reason, 16);
    else
      text += "  " + name + "\n" + rows (context, {"name", "reason"}, 4) + (reason.empty () ? "" : row (4, "but", reason));
  }

  text += "\nWhat they do together (mean time of a small frame of the self-test)\n";
  const std::vector<Json> pairs = gl.items ("pairs");
  if (pairs.empty ())
    text += "  nothing: there is no pair of a device and a GL context\n";
  for (const Json &pair : pairs) {
    text += "  device " + pair.text ("device") + " with " + pair.text ("gl") + "\n";
    for (const Json &method : pair.items ("methods"))
      text += method_text (method);
    text += row (4, "auto takes", best_of (pair));
  }
  return text;
}

std::string
video_text (const std::vector<Json> &devices)
{
  std::string text = "\nMemory of decoders and cameras (mean time of a small frame of the trial)\n";
  for (const Json &each : devices) {
    text += "  device " + each.text ("device") + "\n";
    for (const Json &method : each.items ("methods"))
      text += method_text (method);
    if (const std::string died = each.text ("died"); !died.empty ())
      text += row (4, "but", "THE PROBE DIED: " + died);
  }
  return text;
}

}  // namespace

std::string
to_text (Json report, bool all)
{
  std::string text = system_text (report.group ("system"));
  const std::vector<Json> platforms = all ? report.items ("platforms") : std::vector<Json> ();
  text += platforms.empty () ? "" : "\nOpenCL platforms\n";
  for (const Json &platform : platforms)
    text += "  " + platform.text ("platform") + "\n" + rows (platform, {"platform"}, 4, wide);
  text += "\nOpenCL devices\n";
  const std::vector<Json> devices = report.items ("devices");
  if (devices.empty ())
    text += "  none\n";
  Json choice = report.group ("choice");
  for (const Json &device : devices) {
    const bool chosen = device.text ("device") == choice.text ("device");
    text += all ? full_device (device, chosen) : short_device (device, chosen);
  }
  if (const std::string device = choice.text ("device"); !device.empty ())
    text += paragraph ("", 2, "The elements take " + device + ": it is " + choice.text ("reason") + ".");
  text += cache_text (report.group ("cache"));
  Json variables = report.group ("variables");
  const std::vector<std::string> names = variables.names ();
  text += names.empty () ? "" : "\nEnvironment\n";
  for (const std::string &name : names)
    text += paragraph ("", 4, name + "=" + variables.text (name.c_str ())).substr (2);
  if (Json gl = report.group ("gl"))
    text += gl_text (gl);
  if (report.has ("video"))
    text += video_text (report.items ("video"));
  JsonArray *advice = report.list ("advice");
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
