/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/microbench.hpp"

#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <glib.h>

namespace {

std::string
quoted (const std::string &value)
{
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\')
      text += '\\';
    if (static_cast<unsigned char> (c) >= ' ')
      text += c;
  }
  return text + '"';
}

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

std::string
value_of (const std::string &name, const std::string &value)
{
  gchar *end = nullptr;
  g_ascii_strtod (value.c_str (), &end);
  const bool whole = !value.empty () && !*end;
  return !is_number (name) ? quoted (value) : whole ? value : "null";
}

std::string
members (const Facts &facts)
{
  std::string text;
  for (const auto &[name, value] : facts)
    text += (text.empty () ? "" : ", ") + quoted (name) + ": " + value_of (name, value);
  return text;
}

std::string
object (const Facts &facts)
{
  std::string text = "{";
  text += members (facts);
  return text += "}";
}

template <typename T>
std::string
array (const std::vector<T> &items, const std::function<std::string (const T &)> &form, const char *separator)
{
  std::string text;
  for (const T &item : items)
    text += (text.empty () ? "" : separator) + form (item);
  return std::string ("[") + text + "]";
}

std::string
format_object (const FormatResult &result)
{
  char time[32];
  std::snprintf (time, sizeof time, "%.1f", result.microseconds);
  std::string text = std::string ("{\"format\": ") + quoted (result.format);
  if (result.works)
    return text + ", \"works\": true, \"microseconds\": " + time + "}";
  return text + ", \"works\": false, \"reason\": " + quoted (result.reason) + "}";
}

std::string
method_object (const MethodResult &result)
{
  return std::string ("{\"method\": ") + quoted (result.method) + ", \"died\": " + quoted (result.ending)
         + ", \"formats\": " + array<FormatResult> (result.formats, format_object, ", ") + "}";
}

std::string
pair_object (const Pair &pair)
{
  return std::string ("{\"device\": ") + quoted (pair.device) + ", \"gl\": " + quoted (pair.gl)
         + ", \"methods\": " + array<MethodResult> (pair.methods, method_object, ",\n    ") + "}";
}

std::string
gl_kind_object (const GlKind &gl)
{
  Facts facts{{"name", gl.name}};
  facts.insert (facts.end (), gl.facts.begin (), gl.facts.end ());
  facts.emplace_back ("reason", gl.reason);
  return object (facts);
}

std::string
gl_object (const GlReport &gl)
{
  return std::string ("{\"default\": ") + quoted (gl.default_gl)
         + ",\n  \"contexts\": " + array<GlKind> (gl.kinds, gl_kind_object, ",\n   ")
         + ",\n  \"pairs\": " + array<Pair> (gl.pairs, pair_object, ",\n   ") + "}";
}

std::string
device_object (const DeviceReport &device)
{
  return std::string ("{") + members (device.facts)
         + ",\n   \"figures\": " + (device.figures.empty () ? "null" : object (device.figures))
         + (device.figures_problem.empty () ? "" : ", \"figures-problem\": " + quoted (device.figures_problem))
         + ",\n   \"tuned\": " + object (device.tuned) + "}";
}

std::string
cache_object (const CacheReport &cache)
{
  const auto number = [] (const char *name, guint64 value) {
    return ", \"" + std::string (name) + "\": " + std::to_string (value);
  };
  return std::string ("{\"folder\": ") + quoted (cache.folder) + number ("entries", cache.entries)
         + number ("bytes", cache.bytes) + number ("limit-bytes", cache.limit_bytes)
         + number ("oldest", guint64 (cache.oldest)) + number ("newest", guint64 (cache.newest)) + "}";
}

}  // namespace

std::string
to_json (const Report &report)
{
  return std::string ("{\"system\": ") + object (report.system) + ",\n \"variables\": " + object (report.variables)
         + ",\n \"platforms\": " + array<Facts> (report.platforms, object, ",\n  ")
         + ",\n \"devices\": " + array<DeviceReport> (report.devices, device_object, ",\n  ")
         + ",\n \"devices-ending\": " + quoted (report.devices_ending) + ",\n \"choice\": " + object (report.choice)
         + ",\n \"cache\": " + cache_object (report.cache) + (report.gl ? ",\n \"gl\": " + gl_object (*report.gl) : "")
         + ",\n \"advice\": " + array<std::string> (report.advice, quoted, ",\n  ") + "}\n";
}
