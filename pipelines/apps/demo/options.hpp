/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line of the applications. */
#pragma once

#include <glib.h>

/* Reads GStreamer's options and these into their targets. False, with a message on stderr, where they do not parse or
 * something is left over. */
bool parse_options (const char *program, const char *summary, const GOptionEntry *entries, int *argc, char ***argv);
