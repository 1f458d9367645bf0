/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "options.hpp"

#include <cstdio>
#include <gst/gst.h>

bool
parse_options (const char *program, const char *summary, const GOptionEntry *entries, int *argc, char ***argv)
{
  GOptionContext *context = g_option_context_new (nullptr);
  g_option_context_set_summary (context, summary);
  g_option_context_add_main_entries (context, entries, nullptr);
  g_option_context_add_group (context, gst_init_get_option_group ());
  GError *error = nullptr;
  const bool good = g_option_context_parse (context, argc, argv, &error) && *argc == 1;
  if (!good)
    std::fprintf (stderr, "%s: %s; --help lists the options\n", program, error ? error->message : "bad arguments");
  g_clear_error (&error);
  g_option_context_free (context);
  return good;
}
