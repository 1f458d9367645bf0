/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Command lines of the programs: all have --help and --version, and report errors in the same way. */
#pragma once

#include <glib.h>

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

struct Option {
  /* "" for the arguments that are not options */
  const char *name;
  /* its short form; 0 for none */
  char letter;
  /* Keeps its value without the option. A bool is an option without an argument; a list takes the option many times; a path may
   * have any bytes. */
  std::variant<bool *, int *, double *, std::string *, std::filesystem::path *, std::vector<std::string> *> value;
  /* null: hidden */
  const char *help;
  const char *argument = nullptr;
};

struct CommandLine {
  const char *program, *summary;
  std::vector<Option> options;
  /* Receives the only argument that is not an option, a video to read. Null: no such argument. */
  std::string *file = nullptr;
  /* The argument's name in --help. */
  const char *file_name = "[FILE]";
  /* Whether the video may also be a URI. */
  bool takes_uris = false;
  std::vector<GOptionGroup *> groups = {};
};

/* The program ends with status 2. */
struct WrongUsage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/* Throws WrongUsage, which also points to --help. */
[[noreturn]] void refuse_usage (const std::string &problem);

/* Parses the options into their values. Returns false if that was all, after --version. Throws WrongUsage, or std::runtime_error
 * for an unreadable file. */
bool parse_command_line (const CommandLine &line, int argc, char **argv);

/* Returns the program's exit status: the result of run, or 1 or 2 with a message on stderr if it throws. */
int run_program (const char *program, const std::function<int ()> &run);
/* Calls parse_command_line () first. */
int run_program (const CommandLine &line, int argc, char **argv, const std::function<int ()> &run);
