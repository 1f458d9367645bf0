/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Command lines of the programs: all have --help and --version, and report errors in the same way. */
#pragma once

#include <glib.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

struct CommandLine {
  const char *program, *summary;
  /* The last entry must be empty. */
  const GOptionEntry *entries;
  /* Receives the only argument that is not an option, a video to read. Null: no such argument. */
  std::string *file = nullptr;
  /* The argument's name in --help. */
  const char *file_name = "[FILE]";
  /* Whether the video may also be a URI. */
  bool takes_uris = false;
  std::vector<GOptionGroup *> groups = {};
};

/* Parses the options into their targets. Returns an exit status if the program must end: 0 after --version; 2 for a wrong
 * command line, or 1 for an unreadable file, after a message on stderr. */
std::optional<int> parse_command_line (const CommandLine &line, int argc, char **argv);

/* Returns the program's exit status: the result of run, or 1 with a message on stderr if it throws. */
int run_program (const char *program, const std::function<int ()> &run);
/* Calls parse_command_line () first; for programs that do one thing. */
int run_program (const CommandLine &line, int argc, char **argv, const std::function<void ()> &run);
