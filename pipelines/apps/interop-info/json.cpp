/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report.hpp"

#include <cstdio>
#include <functional>

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

std::string
object (const Facts &facts)
{
  std::string text;
  for (const auto &[name, value] : facts)
    text += (text.empty () ? "" : ", ") + quoted (name) + ": " + quoted (value);
  return "{" + text + "}";
}

template <typename T>
std::string
array (const std::vector<T> &items, const std::function<std::string (const T &)> &form, const char *separator)
{
  std::string text;
  for (const T &item : items)
    text += (text.empty () ? "" : separator) + form (item);
  return "[" + text + "]";
}

std::string
format_object (const FormatResult &result)
{
  char time[32];
  std::snprintf (time, sizeof time, "%.1f", result.microseconds);
  std::string text = "{\"format\": " + quoted (result.format);
  if (result.works)
    return text + ", \"works\": true, \"microseconds\": " + time + "}";
  return text + ", \"works\": false, \"reason\": " + quoted (result.reason) + "}";
}

std::string
method_object (const MethodResult &result)
{
  return "{\"method\": " + quoted (result.method) + ", \"died\": " + quoted (result.ending)
         + ", \"formats\": " + array<FormatResult> (result.formats, format_object, ", ") + "}";
}

std::string
pair_object (const Pair &pair)
{
  return "{\"device\": " + quoted (pair.device) + ", \"gl\": " + quoted (pair.gl)
         + ", \"methods\": " + array<MethodResult> (pair.methods, method_object, ",\n    ") + "}";
}

std::string
gl_object (const GlKind &gl)
{
  Facts facts{{"name", gl.name}};
  facts.insert (facts.end (), gl.facts.begin (), gl.facts.end ());
  facts.emplace_back ("reason", gl.reason);
  return object (facts);
}

}  // namespace

std::string
to_json (const Report &report)
{
  return "{\"system\": " + object (report.system) + ",\n \"devices\": " + array<Facts> (report.devices, object, ",\n  ")
         + ",\n \"devices-ending\": " + quoted (report.devices_ending) + ",\n \"default-gl\": "
         + quoted (report.default_gl) + ",\n \"gl\": " + array<GlKind> (report.gl, gl_object, ",\n  ")
         + ",\n \"pairs\": " + array<Pair> (report.pairs, pair_object, ",\n  ") + "}\n";
}
