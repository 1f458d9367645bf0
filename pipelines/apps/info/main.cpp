/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-info: reports what OpenCL, GL and the plugin know about this machine, for reading or for a bug report. Every probe runs in
 * a child process, so that a driver that crashes or hangs becomes a line of the report. */
#include "config.h"
#include "core/diskcache.hpp"

#include "../common/options.hpp"
#include "report.hpp"

#include <cstdio>
#include <gst/gst.h>

namespace {

int
run_child (const Options &options)
{
  /* what drivers print on standard output goes to standard error; the parent gets the document after each member, so that nothing
   * is lost if the process dies, and the last line counts */
  const JsonOutput parent (true);
  const Json to;
  Json::on_member = [&] { parent.write (to.document (false)); };
  gst_init (nullptr, nullptr);
  if (options.child == "devices")
    probe_devices (to, options.device);
  else if (options.child == "figures")
    probe_figures (to, options.device);
  else if (options.child == "video")
    return probe_video (to, options.device);
#ifdef HAVE_GL
  else if (options.child == "gl")
    probe_gl (to);
  else if (options.child == "pair")
    return probe_pair (to, options.device, options.method);
#endif
  else
    return 2;
  return 0;
}

int
clear_cache ()
{
  namespace cache = gst::cl::disk_cache;
  const cache::Usage before = cache::usage ();
  const size_t removed = cache::clear ();
  const cache::Usage after = cache::usage ();
  std::printf ("%u programs removed, %s, from %s\n", unsigned (removed), bytes_text (before.bytes - after.bytes).c_str (),
      cache::folder ().c_str ());
  if (after.entries)
    std::fprintf (stderr, "cl-info: %u programs could not be removed\n", unsigned (after.entries));
  return after.entries ? 1 : 0;
}

int
run (const Options &options)
{
  if (options.timeout <= 0)
    throw WrongUsage ("--timeout wants seconds above 0");
  if (!options.child.empty ())
    return run_child (options);
  if (options.clear_cache)
    return clear_cache ();
  if (options.check || options.record)
    return check_elements (options.device, options.record);
  const Json report = make_report (options);
  std::fputs ((options.json ? report.document () : to_text (report, options.all)).c_str (), stdout);
  return report.group ("choice").text ("device").empty () ? 1 : 0;
}

}  // namespace

int
main (int argc, char **argv)
{
  remember_self (argv[0]);
  Options options;
  return run_program (
      {.program = "cl-info",
          .summary = "Lists the OpenCL devices, how fast they are, and what is cached for them. Please include the\n"
                     "output of cl-info --all in bug reports.",
          .options = {{"all", 'a', &options.all, "Print everything: all limits and figures, platforms, GL, video memory"},
              {"gl", 'g', &options.gl, "Also try every device with every kind of GL context"},
              {"video", 'v', &options.video, "Also try every device with memory of decoders and cameras"},
              {"measure", 'm', &options.measure, "Measure all devices, or that of --device, and save the figures"},
              {"check", 'c', &options.check, "Compare what every element makes on the device with PoCL's results"},
              {"record", 0, &options.record, nullptr},
              {"device", 'd', &options.device, "Show which device this text chooses (gpu, 0:1, part of a name)", "STRING"},
              {"json", 'j', &options.json, "Print JSON"},
              {"clear-cache", 0, &options.clear_cache, "Delete the compiled programs and nothing else"},
              {"timeout", 0, &options.timeout, "Time limit for one probe (60)", "SECONDS"},
              {"verbose", 0, &options.verbose, "Show what drivers print on standard error"},
              {"child", 0, &options.child, nullptr}, {"method", 0, &options.method, nullptr}}},
      argc, argv, [&options] { return run (options); });
}
