/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report.hpp"

#include <algorithm>
#include <glib.h>

using gst::cl::Shape;

namespace {

/* A gain that is worth having. */
constexpr double clear_gain = 1.1;

std::string
print (const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  gchar *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  const std::string copy = text;
  g_free (text);
  return copy;
}

/* Numbers as JSON has them, whatever the locale says. */
std::string
number (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  return g_ascii_formatd (text, sizeof text, "%.3f", value);
}

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

struct Counts {
  int kernels = 0, faster = 0, clearly = 0, tried = 0, wrong = 0, known = 0, at_limit = 0;
};

Counts
count (const std::vector<Finding> &findings)
{
  Counts counts;
  for (const Finding &f : findings) {
    counts.kernels++;
    counts.faster += f.shape != Shape ();
    counts.clearly += f.gain () >= clear_gain;
    counts.tried += f.tried;
    counts.wrong += f.wrong;
    counts.known += f.known;
    counts.at_limit += f.at_limit;
  }
  return counts;
}

}  // namespace

std::string
summary_of (const std::vector<Finding> &findings, double seconds)
{
  const Counts c = count (findings);
  return print ("%d kernels, %d of them from an earlier run, %d at the device's limits; %d shapes tried, %d wrong; %d kernels became faster, %d by 10 %% "
                "or more; %.0f s\n",
      c.kernels, c.known, c.at_limit, c.tried, c.wrong, c.faster, c.clearly, seconds);
}

std::string
json_of (const gst::cl::Device &device, const std::string &format, int width, int height,
    const std::vector<Finding> &findings, double seconds)
{
  const Counts c = count (findings);
  std::string text = "{\n  \"device\": " + quoted (device.name) + ", \"platform\": " + quoted (device.platform_name)
                     + ", \"driver\": " + quoted (device.driver_version) + ",\n  \"format\": " + quoted (format)
                     + print (", \"width\": %d, \"height\": %d,\n  \"kernels\": %d, \"faster\": %d, \"faster_by_10_percent\": %d, "
                              "\"tried\": %d, \"wrong\": %d,\n",
                         width, height, c.kernels, c.faster, c.clearly, c.tried, c.wrong)
                     + "  \"seconds\": " + number (seconds) + ",\n  \"findings\": [";
  const char *separator = "\n";
  for (const Finding &f : findings) {
    text += separator;
    text += "    {\"element\": " + quoted (f.element) + ", \"kernel\": " + quoted (f.key)
            + ", \"shape\": " + quoted (f.shape.describe ()) + ", \"shipped_us\": " + number (f.shipped_us)
            + ", \"best_us\": " + number (f.best_us) + ", \"gain\": " + number (f.gain ())
            + print (", \"tried\": %d, \"wrong\": %d, \"at_limit\": %s, \"known\": %s}", f.tried, f.wrong, f.at_limit ? "true" : "false",
                f.known ? "true" : "false");
    separator = ",\n";
  }
  return text + "\n  ]\n}\n";
}

std::string
list_of (const gst::cl::Tuning &tuning)
{
  std::string text = tuning.file () + "\n";
  if (tuning.entries ().empty ())
    text += "  nothing is kept yet\n";
  for (const auto &[key, entry] : tuning.entries ())
    text += print ("%5.2fx %9.1f us  %-30s %s\n", entry.best_us > 0 ? entry.shipped_us / entry.best_us : 1, entry.best_us,
        entry.shape.describe ().c_str (), key.c_str ());
  return text;
}
