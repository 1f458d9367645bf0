/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-interop-info: what OpenCL and OpenGL can do together on this machine, to be read or pasted into a bug report.
 * Every probe runs in a child process, so that a driver that crashes or hangs becomes a line of the report. */
#include "config.h"

#include "prober.hpp"
#include "probes.hpp"

#include <cstdio>
#include <gst/gst.h>

namespace {

struct Options {
  gboolean json = FALSE, verbose = FALSE;
  gint timeout = 60;
  gchar *child = nullptr, *device = nullptr, *method = nullptr;
};

bool
parse_options (Options &options, int *argc, char ***argv)
{
  const GOptionEntry entries[]{{"json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print JSON", nullptr},
      {"timeout", 0, 0, G_OPTION_ARG_INT, &options.timeout, "How long one probe may take (60)", "SECONDS"},
      {"verbose", 0, 0, G_OPTION_ARG_NONE, &options.verbose, "Pass on what drivers print on standard error", nullptr},
      {"child", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &options.child, nullptr, nullptr},
      {"device", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &options.device, nullptr, nullptr},
      {"method", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &options.method, nullptr, nullptr},
      {nullptr, 0, 0, G_OPTION_ARG_NONE, nullptr, nullptr, nullptr}};
  GOptionContext *context = g_option_context_new (nullptr);
  g_option_context_set_summary (context,
      "Prints OpenCL devices, GL contexts, and how frames pass between them. Please paste it into bug reports.");
  g_option_context_add_main_entries (context, entries, nullptr);
  GError *error = nullptr;
  const bool good = g_option_context_parse (context, argc, argv, &error) && *argc == 1 && options.timeout > 0;
  if (!good)
    std::fprintf (stderr, "cl-interop-info: %s; --help lists the options\n", error ? error->message : "bad arguments");
  g_clear_error (&error);
  g_option_context_free (context);
  return good;
}

int
run_child (const Options &options)
{
  const std::string what = options.child;
  if (what == "devices")
    return probe_devices ();
#ifdef HAVE_GL
  if (what == "gl")
    return probe_gl ();
  if (what == "pair" && options.device && options.method)
    return probe_pair (options.device, options.method);
#endif
  return 2;
}

}  // namespace

int
main (int argc, char **argv)
{
  remember_self (argv[0]);
  Options options;
  if (!parse_options (options, &argc, &argv))
    return 2;
  gst_init (nullptr, nullptr);
  if (options.child)
    return run_child (options);
  const Report report = Prober (unsigned (options.timeout), options.verbose).run ();
  std::fputs ((options.json ? to_json (report) : to_text (report)).c_str (), stdout);
  return 0;
}
