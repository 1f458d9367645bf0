/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/microbench.hpp"

#include "../common/glib.hpp"
#include "gltext.hpp"
#include "layout.hpp"

namespace {

using layout::paragraph;
using layout::row;

std::string
system_text (const Report &report)
{
  const auto &is = [&] (const char *name) -> const std::string & { return fact (report.system, name); };
  std::string text = paragraph ("", 0,
      is ("plugin") + " " + is ("version") + ", " + is ("gstreamer") + ", with" + (is ("gl") == "yes" ? "" : "out")
          + " GL, with" + (is ("vulkan") == "yes" ? "" : "out") + " Vulkan");
  text += paragraph ("", 0, is ("system"));
  return text + (is ("opencl-loader").empty () ? "" : paragraph ("", 0, is ("opencl-loader")));
}

double
number (const Facts &facts, const char *name)
{
  return g_ascii_strtod (fact (facts, name).c_str (), nullptr);
}

std::string
size_of (const Facts &facts, const char *name)
{
  return layout::bytes (g_ascii_strtoull (fact (facts, name).c_str (), nullptr, 10));
}

/* "4.82", "1340": three digits say enough. */
std::string
short_number (double value)
{
  return printed ("%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
}

std::string
figures_line (const DeviceReport &device)
{
  const Facts &figures = device.figures;
  if (!device.figures_problem.empty () && figures.empty ())
    return "could not be measured: " + device.figures_problem;
  if (figures.empty ())
    return "not measured yet (cl-info --measure)";
  const auto is = [&] (const char *name) { return short_number (number (figures, name)); };
  return "copies " + is ("copy-gb-s") + " GB/s, launch " + is ("launch-us") + " us, up " + is ("upload-pinned-gb-s") + ", down "
         + is ("download-pinned-gb-s") + " GB/s (" + layout::date (gint64 (number (figures, "measured"))) + ")";
}

std::string
tuned_line (const DeviceReport &device)
{
  const auto is = [&] (const char *name) -> const std::string & { return fact (device.tuned, name); };
  if (!is ("problem").empty ())
    return "the tuning file is ignored: " + is ("problem");
  if (number (device.tuned, "entries") == 0)
    return "not tuned (cl-tune)";
  std::string text = is ("entries") + " tuned kernels, " + is ("improved") + " of them improved";
  if (number (device.tuned, "improved") > 0)
    text += ", by " + is ("mean-gain-percent") + " % in the mean and " + is ("best-gain-percent") + " % at best";
  return text;
}

std::string
short_device (const DeviceReport &device, bool chosen)
{
  const Facts &facts = device.facts;
  const auto is = [&] (const char *name) -> const std::string & { return fact (facts, name); };
  constexpr size_t indent = 7;
  std::string text = paragraph ((chosen ? "* " : "  ") + is ("device"), indent, is ("name"));
  const auto add = [&] (const std::string &line) { text += paragraph ("", indent, line); };
  add (is ("rank") + ", " + is ("compute-units") + " compute units; " + is ("platform") + ", driver " + is ("driver"));
  add (size_of (facts, "memory-bytes") + " memory, " + size_of (facts, "local-memory-bytes")
       + " local memory, work groups up to " + is ("max-work-group"));
  add ("host memory " + is ("host-memory") + ", kernels of back end " + is ("backend")
       + (is ("max-image-width").empty () ? ", no images" : ""));
  add (figures_line (device));
  if (!device.figures.empty () && !device.figures_problem.empty ())
    add ("but " + device.figures_problem);
  add (tuned_line (device));
  if (const std::string &problem = is ("problem"); !problem.empty ())
    add ("but " + problem);
  return text;
}

constexpr size_t wide = 20;

/* 0.000 is what a device cannot do. */
std::string
figures_text (const DeviceReport &device)
{
  if (device.figures.empty ())
    return row (4, "figures", figures_line (device), wide);
  std::string text = "    figures of " + layout::date (gint64 (number (device.figures, "measured"))) + "\n";
  for (const gst::cl::FigureField &field : gst::cl::figure_fields ()) {
    const double value = number (device.figures, field.name);
    text += row (6, field.text, value > 0 ? short_number (value) + " " + field.unit : "cannot", 34);
  }
  return text + (device.figures_problem.empty () ? "" : row (4, "but", device.figures_problem, wide));
}

std::string
full_device (const DeviceReport &device, bool chosen)
{
  std::string text = (chosen ? "* " : "  ") + device.facts[0].second + "\n";
  for (size_t i = 1; i < device.facts.size (); i++) {
    const auto &[name, value] = device.facts[i];
    text += name.ends_with ("-bytes") ? row (4, name.substr (0, name.size () - 6), size_of (device.facts, name.c_str ()), wide)
                                      : row (4, name, value, wide);
  }
  return text + row (4, "tuned", tuned_line (device), wide)
         + (fact (device.tuned, "file").empty () ? "" : row (4, "tuning file", fact (device.tuned, "file"), wide))
         + figures_text (device);
}

std::string
choice_text (const Facts &choice)
{
  const std::string &device = fact (choice, "device"), &reason = fact (choice, "reason");
  return device.empty () ? "" : paragraph ("", 2, "The elements take " + device + ": it is " + reason + ".");
}

std::string
cache_text (const CacheReport &cache)
{
  std::string text = "\nProgram cache\n" + paragraph ("", 2, cache.folder);
  if (!cache.entries)
    return text + "  empty\n";
  const std::string oldest = layout::date (cache.oldest), newest = layout::date (cache.newest);
  return text
         + paragraph ("", 2,
             std::to_string (cache.entries) + (cache.entries == 1 ? " program, " : " programs, ") + layout::bytes (cache.bytes)
                 + " of " + layout::bytes (cache.limit_bytes) + ", last used "
                 + (oldest == newest ? newest : "between " + oldest + " and " + newest));
}

std::string
variables_text (const Facts &variables)
{
  if (variables.empty ())
    return "";
  std::string text = "\nEnvironment\n";
  for (const auto &[name, value] : variables)
    text += paragraph ("", 4, name + "=" + value).substr (2);
  return text;
}

std::string
platforms_text (const std::vector<Facts> &platforms)
{
  std::string text = "\nOpenCL platforms\n";
  for (const Facts &platform : platforms)
    text += "  " + platform[0].second + "\n" + layout::rows (platform, 1, 4, wide);
  return text;
}

std::string
video_text (const std::vector<VideoReport> &devices)
{
  std::string text = "\nMemory of decoders and cameras (mean time of a small frame of the trial)\n";
  for (const VideoReport &each : devices) {
    text += "  device " + each.device + "\n";
    for (const MethodResult &method : each.methods)
      text += method_text (method);
    if (!each.ending.empty ())
      text += row (4, "but", "THE PROBE DIED: " + each.ending);
  }
  return text;
}

}  // namespace

std::string
to_text (const Report &report, bool all)
{
  std::string text = system_text (report);
  if (all && !report.platforms.empty ())
    text += platforms_text (report.platforms);
  text += "\nOpenCL devices\n";
  if (report.devices.empty ())
    text += "  none\n";
  for (const DeviceReport &device : report.devices) {
    const bool chosen = fact (device.facts, "device") == fact (report.choice, "device");
    text += all ? full_device (device, chosen) : short_device (device, chosen);
  }
  text += choice_text (report.choice) + cache_text (report.cache) + variables_text (report.variables);
  if (report.gl)
    text += gl_text (*report.gl);
  if (report.video)
    text += video_text (*report.video);
  if (!report.advice.empty ())
    text += "\nAdvice\n";
  for (const std::string &advice : report.advice)
    text += paragraph ("- ", 2, advice);
  return text;
}
