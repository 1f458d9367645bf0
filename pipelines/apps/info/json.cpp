/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/microbench.hpp"

#include "../common/json.hpp"
#include "report.hpp"

#include <algorithm>

namespace {

/* Facts that programs want as numbers. */
bool
is_number (const std::string &name)
{
  static constexpr const char *names[]{"devices", "compute-units", "clock-mhz", "memory-bytes", "max-buffer-bytes",
      "local-memory-bytes", "cache-bytes", "cache-line-bytes", "max-work-group", "alignment-bits", "max-image-width",
      "max-image-height", "measured", "entries", "improved", "mean-gain-percent", "best-gain-percent"};
  const auto &figures = gst::cl::figure_fields ();
  return std::ranges::find (names, name) != std::end (names)
         || std::ranges::any_of (figures, [&] (const gst::cl::FigureField &field) { return name == field.name; });
}

void
add_value (Json &json, const std::string &name, const std::string &value)
{
  gchar *end = nullptr;
  const double number = g_ascii_strtod (value.c_str (), &end);
  if (!is_number (name))
    json.value (value);
  else if (value.empty () || *end)
    json.null ();
  else if (value.find_first_not_of ("-0123456789") == std::string::npos)
    json.value (g_ascii_strtoll (value.c_str (), nullptr, 10));
  else
    json.value (number);
}

void
add_members (Json &json, const Facts &facts)
{
  for (const auto &[name, value] : facts) {
    json.name (name);
    add_value (json, name, value);
  }
}

void
add (Json &json, const Facts &facts)
{
  json.begin_object ();
  add_members (json, facts);
  json.end_object ();
}

void
add (Json &json, const std::string &text)
{
  json.value (text);
}

void
add (Json &json, const FormatResult &result)
{
  json.begin_object ().member ("format", result.format).member ("works", result.works);
  if (result.works)
    json.member ("microseconds", result.microseconds);
  else
    json.member ("reason", result.reason);
  json.end_object ();
}

void add (Json &json, const MethodResult &result);
void add (Json &json, const Pair &pair);
void add (Json &json, const VideoReport &video);
void add (Json &json, const GlKind &gl);
void add (Json &json, const DeviceReport &device);

template <typename T>
void
add_array (Json &json, const char *name, const std::vector<T> &items)
{
  json.name (name).begin_array ();
  for (const T &item : items)
    add (json, item);
  json.end_array ();
}

void
add (Json &json, const MethodResult &result)
{
  json.begin_object ().member ("method", result.method).member ("died", result.ending);
  add_array (json, "formats", result.formats);
  json.end_object ();
}

void
add (Json &json, const Pair &pair)
{
  json.begin_object ().member ("device", pair.device).member ("gl", pair.gl);
  add_array (json, "methods", pair.methods);
  json.end_object ();
}

void
add (Json &json, const VideoReport &video)
{
  json.begin_object ().member ("device", video.device).member ("died", video.ending);
  add_array (json, "methods", video.methods);
  json.end_object ();
}

void
add (Json &json, const GlKind &gl)
{
  json.begin_object ().member ("name", gl.name);
  add_members (json, gl.facts);
  json.member ("reason", gl.reason).end_object ();
}

void
add (Json &json, const GlReport &gl)
{
  json.begin_object ().member ("default", gl.default_gl);
  add_array (json, "contexts", gl.kinds);
  add_array (json, "pairs", gl.pairs);
  json.end_object ();
}

void
add (Json &json, const DeviceReport &device)
{
  json.begin_object ();
  add_members (json, device.facts);
  json.name ("figures");
  if (device.figures.empty ())
    json.null ();
  else
    add (json, device.figures);
  if (!device.figures_problem.empty ())
    json.member ("figures-problem", device.figures_problem);
  json.name ("tuned");
  add (json, device.tuned);
  json.end_object ();
}

void
add (Json &json, const CacheReport &cache)
{
  json.begin_object ().member ("folder", cache.folder).member ("entries", cache.entries).member ("bytes", cache.bytes);
  json.member ("limit-bytes", cache.limit_bytes).member ("oldest", cache.oldest).member ("newest", cache.newest);
  json.end_object ();
}

}  // namespace

std::string
to_json (const Report &report)
{
  Json json;
  json.begin_object ().name ("system");
  add (json, report.system);
  json.name ("variables");
  add (json, report.variables);
  add_array (json, "platforms", report.platforms);
  add_array (json, "devices", report.devices);
  json.member ("devices-ending", report.devices_ending).name ("choice");
  add (json, report.choice);
  json.name ("cache");
  add (json, report.cache);
  if (report.gl) {
    json.name ("gl");
    add (json, *report.gl);
  }
  if (report.video)
    add_array (json, "video", *report.video);
  add_array (json, "advice", report.advice);
  return json.end_object ().text ();
}
