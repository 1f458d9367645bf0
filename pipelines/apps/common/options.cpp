/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "options.hpp"

#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstring>
#include <exception>
#include <unistd.h>

namespace {

int
complain (const char *program, const std::string &problem)
{
  std::fprintf (stderr, "%s: %s; --help lists the options\n", program, problem.c_str ());
  return 2;
}

/* Why the file cannot be played; empty if it seems playable. */
std::string
file_problem (const std::string &path)
{
  if (access (path.c_str (), R_OK) != 0)
    return "cannot read " + path + ": " + std::strerror (errno);
  return g_file_test (path.c_str (), G_FILE_TEST_IS_DIR) ? path + " is a folder, not a video" : "";
}

bool
is_uri (const std::string &text)
{
  g_autofree gchar *scheme = g_uri_parse_scheme (text.c_str ());
  return scheme != nullptr;
}

std::optional<int>
take_file (const CommandLine &line, const std::vector<std::string> &words)
{
  if (words.size () > 1)
    return complain (line.program, "one file at most can be given");
  const std::string &file = words.front ();
  if (file.empty ())
    return complain (line.program, "the file's name is empty");
  const std::string problem = line.takes_uris && is_uri (file) ? "" : file_problem (file);
  if (problem.empty ()) {
    *line.file = file;
    return std::nullopt;
  }
  std::fprintf (stderr, "%s: %s\n", line.program, problem.c_str ());
  return 1;
}

}  // namespace

std::optional<int>
parse_command_line (const CommandLine &line, int argc, char **argv)
{
  std::setlocale (LC_ALL, "");
  /* numbers must have a decimal point, for scripts */
  std::setlocale (LC_NUMERIC, "C");
  g_auto (GStrv) rest = nullptr;
  /* an older spelling of the file argument */
  g_autofree gchar *named = nullptr;
  gboolean version = FALSE;
  const GOptionEntry own[]{{"version", 0, 0, G_OPTION_ARG_NONE, &version, "Print the version", nullptr}, {}};
  const GOptionEntry positional[]{{G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &rest, nullptr, line.file_name},
      {"file", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &named, nullptr, nullptr}, {}};
  g_autoptr (GOptionContext) context = g_option_context_new (nullptr);
  g_option_context_set_summary (context, line.summary);
  g_option_context_add_main_entries (context, line.entries, nullptr);
  if (line.file)
    g_option_context_add_main_entries (context, positional, nullptr);
  g_option_context_add_main_entries (context, own, nullptr);
  for (GOptionGroup *group : line.groups)
    g_option_context_add_group (context, group);
  g_autoptr (GError) error = nullptr;
  if (!g_option_context_parse (context, &argc, &argv, &error))
    return complain (line.program, error->message);
  if (version) {
    std::printf ("%s %s (%s)\n", line.program, PACKAGE_VERSION, PACKAGE_NAME);
    return 0;
  }
  if (argc > 1)
    return complain (line.program, std::string ("unexpected argument ") + argv[1]);
  std::vector<std::string> words (rest, rest + (rest ? g_strv_length (rest) : 0));
  if (named)
    words.push_back (named);
  return words.empty () ? std::nullopt : take_file (line, words);
}

int
run_program (const char *program, const std::function<int ()> &run)
{
  try {
    return run ();
  } catch (const std::exception &error) {
    std::fprintf (stderr, "%s: %s\n", program, error.what ());
    return 1;
  }
}

int
run_program (const CommandLine &line, int argc, char **argv, const std::function<void ()> &run)
{
  if (const std::optional<int> status = parse_command_line (line, argc, argv))
    return *status;
  return run_program (line.program, [&run] {
    run ();
    return 0;
  });
}
