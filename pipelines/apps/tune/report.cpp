/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report.hpp"

#include "../common/json.hpp"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

using gst::cl::Shape;

namespace {

constexpr int bar_length = 24, line_length = 100;

/* A gain that the report counts. */
constexpr double clear_gain = 1.1;

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

/* A kernel's key without the part that all keys of a run share: "shared/lut.cl map_samples". */
std::string
short_name (const std::string &key)
{
  const size_t first = key.find (' ');
  return first == std::string::npos ? key : key.substr (0, key.find (' ', first + 1));
}

}  // namespace

Progress::Progress (bool quiet_) : quiet (quiet_), terminal (isatty (STDERR_FILENO)) {}

void
Progress::clear ()
{
  if (shown)
    std::fprintf (stderr, "\r%*s\r", line_length, "");
  shown = false;
}

void
Progress::at (size_t element, size_t n_elements)
{
  done = double (element) / n_elements;
  next = double (element + 1) / n_elements;
}

void
Progress::show (const std::string &element, const std::string &key, int tried, int n)
{
  if (quiet || !terminal)
    return;
  const double part = done + (next - done) * std::min (1.0, n ? double (tried) / n : 0);
  const int full = int (part * bar_length);
  std::string line = "[" + std::string (full, '#') + std::string (bar_length - full, '.')
                     + printed ("] %d%% %s: %s %d/%d", int (part * 100), element.substr (0, element.find (' ')).c_str (),
                         short_name (key).c_str (), tried, n);
  line.resize (line_length, ' ');
  std::fprintf (stderr, "\r%s", line.c_str ());
  std::fflush (stderr);
  shown = true;
}

void
Progress::result (const std::string &line)
{
  clear ();
  if (!quiet)
    std::fprintf (stderr, "%s\n", line.c_str ());
}

void
Progress::found (const Finding &finding)
{
  result (printed ("%5.2fx %9.1f us  %-42s %s  (%s)", finding.gain (), finding.best_us, short_name (finding.key).c_str (),
      finding.shape.describe ().c_str (), finding.element.c_str ()));
}

void
Progress::say (const std::string &line)
{
  clear ();
  std::fprintf (stderr, "cl-tune: %s\n", line.c_str ());
}

std::string
summary_of (const std::vector<Finding> &findings, double seconds)
{
  const Counts c = count (findings);
  return printed (
      "%d kernels, %d of them from an earlier run, %d at the device's limits; %d shapes tried, %d wrong; %d kernels "
      "became faster, %d by 10 %% "
      "or more; %.0f s\n",
      c.kernels, c.known, c.at_limit, c.tried, c.wrong, c.faster, c.clearly, seconds);
}

std::string
json_of (const gst::cl::Device &device, const std::string &format, int width, int height, const std::vector<Finding> &findings,
    double seconds)
{
  const Counts c = count (findings);
  Json json;
  json.member ("device", device.name).member ("platform", device.platform_name);
  json.member ("driver", device.driver_version).member ("format", format).member ("width", width).member ("height", height);
  json.member ("kernels", c.kernels).member ("faster", c.faster).member ("faster_by_10_percent", c.clearly);
  json.member ("tried", c.tried).member ("wrong", c.wrong).member ("seconds", seconds);
  json.objects ("findings", findings, [] (Json to, const Finding &f) {
    to.member ("element", f.element).member ("kernel", f.key).member ("shape", f.shape.describe ());
    to.member ("shipped_us", f.shipped_us).member ("best_us", f.best_us).member ("gain", f.gain ());
    to.member ("tried", f.tried).member ("wrong", f.wrong).member ("at_limit", f.at_limit).member ("known", f.known);
  });
  return json.document ();
}

std::string
list_of (const gst::cl::Tuning &tuning)
{
  std::string text = tuning.file () + "\n";
  if (tuning.entries ().empty ())
    text += "  no results yet\n";
  for (const auto &[key, entry] : tuning.entries ())
    text += printed ("%5.2fx %9.1f us  %-30s %s\n", entry.best_us > 0 ? entry.shipped_us / entry.best_us : 1, entry.best_us,
        entry.shape.describe ().c_str (), key.c_str ());
  return text;
}
