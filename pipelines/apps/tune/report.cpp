/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report.hpp"

#include "../common/json.hpp"

#include <algorithm>
#include <cstdio>

using gst::cl::Shape;

namespace {

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

}  // namespace

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
