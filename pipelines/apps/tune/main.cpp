/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-tune: measures on this device how the work of each kernel is divided best, and stores the result for all elements. With
 * --warm, it compiles their programs instead. */
#include "../common/json.hpp"
#include "../common/options.hpp"
#include "report.hpp"

#include <gst/gst.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int stopped = 130;

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
    counts.faster += f.shape != gst::cl::Shape ();
    counts.clearly += f.gain () >= clear_gain;
    counts.tried += f.tried;
    counts.wrong += f.wrong;
    counts.known += f.known;
    counts.at_limit += f.at_limit;
  }
  return counts;
}

/* A summary of a few lines. */
std::string
summary_of (const std::vector<Finding> &findings, double seconds)
{
  const Counts c = count (findings);
  if (c.kernels == 0)
    return printed ("no kernel has shapes to choose from on this device at this size; %.0f s\n", seconds);
  return printed (
      "%d kernels, %d of them from an earlier run, %d at the device's limits; %d shapes tried, %d wrong; %d kernels "
      "became faster, %d by 10 %% "
      "or more; %.0f s\n",
      c.kernels, c.known, c.at_limit, c.tried, c.wrong, c.faster, c.clearly, seconds);
}

/* The same as JSON, with every kernel. */
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

double
gain_of (const gst::cl::TuningEntry &entry)
{
  return entry.best_us > 0 ? entry.shipped_us / entry.best_us : 1;
}

/* The table's entries, one per line. */
std::string
table_of (const gst::cl::Tuning &tuning)
{
  std::string text = tuning.file () + "\n";
  if (tuning.entries ().empty ())
    text += "  no results yet\n";
  for (const auto &[key, entry] : tuning.entries ())
    text +=
        printed ("%5.2fx %9.1f us  %-30s %s\n", gain_of (entry), entry.best_us, entry.shape.describe ().c_str (), key.c_str ());
  return text;
}

/* The same as JSON. */
std::string
table_json_of (const gst::cl::Tuning &tuning)
{
  Json json;
  json.member ("file", tuning.file ()).objects ("findings", tuning.entries (), [] (Json to, const auto &named) {
    const auto &[key, entry] = named;
    to.member ("kernel", key).member ("shape", entry.shape.describe ());
    to.member ("shipped_us", entry.shipped_us).member ("best_us", entry.best_us).member ("gain", gain_of (entry));
  });
  return json.document ();
}

void
check_options (Options &options)
{
  char rest;
  if (std::sscanf (options.size.c_str (), "%dx%d%c", &options.width, &options.height, &rest) != 2 || options.width < 1
      || options.height < 1 || options.width > 16384 || options.height > 16384)
    throw WrongUsage ("--size wants a width and a height, as in 1920x1080, not " + options.size);
  if (!(options.budget >= 0))
    throw WrongUsage ("--budget wants seconds");
  if (!options.elements.empty () && !options.warm)
    throw WrongUsage ("unexpected argument " + options.elements[0] + "; --warm takes elements");
  if (options.warm
      && (!options.filter.empty () || options.json || options.budget > 0 || options.dry_run || options.list || options.reset
          || options.check))
    throw WrongUsage ("--warm takes no other options than --device, --format, --size and --quiet");
}

void
interrupt (int signal)
{
  interrupted = 1;
  std::signal (signal, SIG_DFL);
}

/* The exit status. saved: what an interrupted run keeps; null for a dry run. */
int
status_of (bool good, const char *saved)
{
  if (!interrupted)
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
  if (saved)
    std::fprintf (stderr, "cl-tune: interrupted; the %s are saved, and the next run continues from there\n", saved);
  else
    std::fprintf (stderr, "cl-tune: interrupted; a dry run saves nothing\n");
  return stopped;
}

int
run (const Options &options)
{
  const JsonOutput output (options.json);
  const std::vector<Subject> subjects = find_subjects (options.filter);
  ensure (!subjects.empty (), "no element's launch line contains " + options.filter);
  Bench bench (options.device, options.format_name (), options.width, options.height);
  if (!options.list && !options.check && !options.dry_run) {
    const std::string problem = folder_problem (std::filesystem::path (bench.tuning ().file ()).parent_path ());
    ensure (problem.empty (), problem + "; --dry-run saves nothing");
  }
  if (const std::string problem = bench.tuning ().problem (); !problem.empty ())
    std::fprintf (
        stderr, "cl-tune: %s is not used, and will be replaced: %s\n", bench.tuning ().file ().c_str (), problem.c_str ());
  if (options.reset)
    bench.tuning ().clear ();
  if (options.list) {
    if (output)
      output.write (table_json_of (bench.tuning ()));
    else
      std::fputs (table_of (bench.tuning ()).c_str (), stdout);
    return EXIT_SUCCESS;
  }
  if (!options.quiet)
    std::fprintf (stderr, "%s, %s %dx%d, %zu launch lines; Ctrl+C stops%s\n", bench.device ().describe ().c_str (),
        options.format_name ().c_str (), options.width, options.height, subjects.size (),
        options.dry_run ? "" : " and keeps the results");
  const gint64 start = g_get_monotonic_time ();
  Progress progress (options.quiet);
  std::vector<Finding> findings;
  const bool played = search_all (bench, options, progress, subjects, findings);
  const double seconds = double (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  std::fputs (summary_of (findings, seconds).c_str (), stdout);
  std::fflush (stdout);
  if (output)
    output.write (json_of (bench.device (), options.format_name (), options.width, options.height, findings, seconds));
  const bool wrong = std::ranges::any_of (findings, [] (const Finding &finding) { return finding.wrong > 0; });
  return status_of (played && !(options.check && wrong), options.dry_run ? nullptr : "results");
}

}  // namespace

int
main (int argc, char **argv)
{
  Options options;
  return run_program (
      {.program = "cl-tune",
          .summary = "Measures which settings of each OpenCL kernel are fastest on this device. Elements that start afterwards "
                     "use the "
                     "results. Ctrl+C stops; the next run continues from there. --warm compiles the kernels instead.",
          .options = {{"device", 'd', &options.device, "The device, as for the elements: gpu, cpu, 0:1, part of a name",
                          "DEVICE"},
              {"format", 'f', &options.format,
                  "Tune for formats like this one (RGBA); --warm takes several, separated by commas", "FORMAT"},
              {"size", 's', &options.size, "Frame size (1920x1080)", "WxH"},
              {"filter", 0, &options.filter, "Only elements whose launch line contains this text", "TEXT"},
              {"budget", 0, &options.budget, "Time for one kernel (2.5; 20 on a CPU)", "SECONDS"},
              {"json", 'j', &options.json, "Print the results as JSON; the text goes to standard error"},
              {"dry-run", 0, &options.dry_run, "Measure, and save nothing"},
              {"list", 0, &options.list, "Print the saved results, and measure nothing"},
              {"reset", 0, &options.reset, "Delete the saved results of the device first"},
              {"check", 0, &options.check, "Only compare the pictures of all possible settings"},
              {"warm", 'w', &options.warm,
                  "Compile the kernels of the ELEMENTs, or of all elements, for the usual formats, and measure nothing"},
              {"quiet", 'q', &options.quiet, "Print only the last line"}, {"", 0, &options.elements, nullptr, "[ELEMENT...]"}}},
      argc, argv, [&options] {
        check_options (options);
        /* a table that is switched off could not be written */
        if (!options.warm && !g_strcmp0 (g_getenv ("GST_CL_TUNE"), "off"))
          g_unsetenv ("GST_CL_TUNE");
        gst_init (nullptr, nullptr);
        std::signal (SIGINT, interrupt);
        std::signal (SIGTERM, interrupt);
        return options.warm ? status_of (warm (options), "compiled kernels") : run (options);
      });
}
