/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line of the programs: all of them have --help and --version, and complain in the same words. */
#pragma once

#include <glib.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

struct CommandLine {
  const char *program, *summary;
  /* Ends with an empty one. */
  const GOptionEntry *entries;
  /* Where the one argument goes that is no option, a video to read. Null: there is none. */
  std::string *file = nullptr;
  /* What --help calls it. */
  const char *file_name = "[FILE]";
  /* The video may also be a URI. */
  bool takes_uris = false;
  std::vector<GOptionGroup *> groups = {};
};

/* Reads the options into their targets. Returns the status to exit with where the program has nothing more to do: 0 after
 * --version, and with a message on stderr 2 where the line is wrong and 1 where the file cannot be read. */
std::optional<int> parse_command_line (const CommandLine &line, int argc, char **argv);

/* Returns the status that the program exits with: what it returns, or 1, after a message on stderr, where it throws. */
int run_program (const char *program, const std::function<int ()> &run);
/* The same behind parse_command_line (), for programs that do one thing. */
int run_program (const CommandLine &line, int argc, char **argv, const std::function<void ()> &run);
