/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-info: reports what OpenCL, GL and the plugin know about this machine, for reading or for a bug report. Every probe runs in
 * a child process, so that a driver that crashes or hangs becomes a line of the report. */
#include "config.h"
#include "core/diskcache.hpp"

#include "../common/options.hpp"
#include "check.hpp"
#include "probes.hpp"
#include "report.hpp"

#include <cstdio>
#include <gst/gst.h>

namespace {

struct Options {
  gboolean all = FALSE, gl = FALSE, video = FALSE, measure = FALSE, json = FALSE, clear_cache = FALSE, verbose = FALSE,
           check = FALSE, record = FALSE;
  gint timeout = 60;
  gchar *child = nullptr, *device = nullptr, *method = nullptr;

  std::string wanted () const { return device ? device : ""; }
};

std::optional<int>
parse_options (Options &options, int argc, char **argv)
{
  const GOptionEntry entries[]{{"all", 'a', 0, G_OPTION_ARG_NONE, &options.all,
                                   "Print everything: all limits and figures, platforms, GL, video memory", nullptr},
      {"gl", 'g', 0, G_OPTION_ARG_NONE, &options.gl, "Also try every device with every kind of GL context", nullptr},
      {"video", 'v', 0, G_OPTION_ARG_NONE, &options.video, "Also try every device with memory of decoders and cameras",
          nullptr},
      {"measure", 'm', 0, G_OPTION_ARG_NONE, &options.measure, "Measure all devices, or that of --device, and save the figures",
          nullptr},
      {"check", 'c', 0, G_OPTION_ARG_NONE, &options.check, "Compare what every element makes on the device with PoCL's results",
          nullptr},
      {"record", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &options.record, nullptr, nullptr},
      {"device", 'd', 0, G_OPTION_ARG_STRING, &options.device, "Show which device this text chooses (gpu, 0:1, part of a name)",
          "STRING"},
      {"json", 'j', 0, G_OPTION_ARG_NONE, &options.json, "Print JSON", nullptr},
      {"clear-cache", 0, 0, G_OPTION_ARG_NONE, &options.clear_cache, "Delete the compiled programs and nothing else", nullptr},
      {"timeout", 0, 0, G_OPTION_ARG_INT, &options.timeout, "Time limit for one probe (60)", "SECONDS"},
      {"verbose", 0, 0, G_OPTION_ARG_NONE, &options.verbose, "Show what drivers print on standard error", nullptr},
      {"child", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &options.child, nullptr, nullptr},
      {"method", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &options.method, nullptr, nullptr}, {}};
  const std::optional<int> status = parse_command_line (
      {.program = "cl-info",
          .summary = "Lists the OpenCL devices, how fast they are, and what is cached for them. Please include the\n"
                     "output of cl-info --all in bug reports.",
          .entries = entries},
      argc, argv);
  if (!status && options.timeout <= 0) {
    std::fprintf (stderr, "cl-info: --timeout wants seconds above 0\n");
    return 2;
  }
  return status;
}

int
run_child (const Options &options)
{
  const std::string what = options.child;
  JsonObject *to = begin_telling ();
  gst_init (nullptr, nullptr);
  if (what == "devices")
    probe_devices (to, options.wanted ());
  else if (what == "figures")
    probe_figures (to, options.wanted ());
  else if (what == "video")
    return probe_video (to, options.wanted ());
#ifdef HAVE_GL
  else if (what == "gl")
    probe_gl (to);
  else if (what == "pair" && options.device && options.method)
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

std::string
to_json (JsonObject *report)
{
  const std::unique_ptr<JsonNode, Releases<json_node_unref>> root (json_node_init_object (json_node_alloc (), report));
  return text_of (json_to_string (root.get (), TRUE)) + "\n";
}

}  // namespace

int
main (int argc, char **argv)
{
  remember_self (argv[0]);
  Options options;
  if (const std::optional<int> status = parse_options (options, argc, argv))
    return *status;
  if (options.child)
    return run_child (options);
  if (options.clear_cache)
    return clear_cache ();
  if (options.check || options.record)
    return check_elements (options.wanted (), options.record);
  const Document report = make_report ({options.wanted (), bool (options.measure), options.gl || options.all,
      options.video || options.all, unsigned (options.timeout), bool (options.verbose)});
  std::fputs ((options.json ? to_json (report.get ()) : to_text (report.get (), options.all)).c_str (), stdout);
  return text_in (group_in (report.get (), "choice"), "device").empty () ? 1 : 0;
}
