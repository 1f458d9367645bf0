/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "options.hpp"

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace {

/* Stores an option's text; GLib gives its name with dashes, or "". */
gboolean
take_option (const gchar *name, const gchar *text, gpointer data, GError **)
{
  const auto &options = static_cast<const CommandLine *> (data)->options;
  const auto option = std::ranges::find_if (options, [given = std::string (name)] (const Option &each) {
    return given == (*each.name ? std::string ("--") + each.name : "") || given == std::string ("-") + each.letter;
  });
  if (const auto flag = std::get_if<bool *> (&option->value))
    **flag = true;
  else if (const auto string = std::get_if<std::string *> (&option->value))
    **string = text;
  else if (const auto path = std::get_if<std::filesystem::path *> (&option->value))
    **path = text;
  else
    std::get<std::vector<std::string> *> (option->value)->push_back (text);
  return TRUE;
}

GOptionEntry
entry_of (const Option &option)
{
  GOptionEntry entry{option.name, option.letter, option.help || !*option.name ? 0 : G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_CALLBACK,
      reinterpret_cast<gpointer> (take_option), option.help, option.argument};
  if (const auto number = std::get_if<int *> (&option.value)) {
    entry.arg = G_OPTION_ARG_INT;
    entry.arg_data = *number;
  } else if (const auto real = std::get_if<double *> (&option.value)) {
    entry.arg = G_OPTION_ARG_DOUBLE;
    entry.arg_data = *real;
  } else if (std::holds_alternative<bool *> (option.value)) {
    entry.flags |= G_OPTION_FLAG_NO_ARG;
  } else if (std::holds_alternative<std::filesystem::path *> (option.value) || !*option.name) {
    entry.flags |= G_OPTION_FLAG_FILENAME;
  }
  return entry;
}

/* Throws if the file does not seem playable. */
void
take_file (const CommandLine &line, const std::vector<std::string> &words)
{
  if (words.size () > 1)
    refuse_usage ("one file at most can be given");
  const std::string &file = words.front ();
  if (file.empty ())
    refuse_usage ("the file's name is empty");
  g_autofree gchar *scheme = line.takes_uris ? g_uri_parse_scheme (file.c_str ()) : nullptr;
  if (!scheme && access (file.c_str (), R_OK) != 0)
    throw std::runtime_error ("cannot read " + file + ": " + std::strerror (errno));
  if (!scheme && g_file_test (file.c_str (), G_FILE_TEST_IS_DIR))
    throw std::runtime_error (file + " is a folder, not a video");
  *line.file = file;
}

/* Throws if something that was printed is lost. */
void
ensure_output ()
{
  if (std::fflush (stdout) != 0 || std::ferror (stdout))
    throw std::runtime_error ("standard output cannot be written; is its disk full?");
}

}  // namespace

void
refuse_usage (const std::string &problem)
{
  throw WrongUsage (problem + "; --help lists the options");
}

bool
parse_command_line (const CommandLine &line, int argc, char **argv)
{
  std::setlocale (LC_ALL, "");
  /* numbers must have a decimal point, for scripts */
  std::setlocale (LC_NUMERIC, "C");
  bool version = false;
  std::vector<std::string> files;
  CommandLine all = line;
  if (line.file) {
    all.options.push_back ({"", 0, &files, nullptr, line.file_name});
    /* an older spelling of the file argument */
    all.options.push_back ({"file", 0, &files, nullptr});
  }
  all.options.push_back ({"version", 0, &version, "Print the version"});
  std::vector<GOptionEntry> entries;
  std::ranges::transform (all.options, std::back_inserter (entries), entry_of);
  entries.push_back ({});
  g_autoptr (GOptionContext) context = g_option_context_new (nullptr);
  g_option_context_set_summary (context, line.summary);
  GOptionGroup *main = g_option_group_new (nullptr, nullptr, nullptr, &all, nullptr);
  g_option_group_add_entries (main, entries.data ());
  g_option_context_set_main_group (context, main);
  for (GOptionGroup *group : line.groups)
    g_option_context_add_group (context, group);
  g_autoptr (GError) error = nullptr;
  if (!g_option_context_parse (context, &argc, &argv, &error))
    refuse_usage (error->message);
  if (version) {
    std::printf ("%s %s (%s)\n", line.program, PACKAGE_VERSION, PACKAGE_NAME);
    return false;
  }
  if (argc > 1)
    refuse_usage (std::string ("unexpected argument ") + argv[1]);
  if (!files.empty ())
    take_file (line, files);
  return true;
}

int
run_program (const char *program, const std::function<int ()> &run)
{
  /* a file that is opened later must not get the number of a closed standard stream */
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl (stream, F_GETFD) < 0)
      open (stream == STDIN_FILENO ? "/dev/null" : "/dev/full", O_RDWR);
  try {
    const int status = run ();
    ensure_output ();
    return status;
  } catch (const std::exception &error) {
    std::fprintf (stderr, "%s: %s\n", program, error.what ());
    return dynamic_cast<const WrongUsage *> (&error) ? 2 : 1;
  }
}

int
run_program (const CommandLine &line, int argc, char **argv, const std::function<int ()> &run)
{
  return run_program (line.program, [&] { return parse_command_line (line, argc, argv) ? run () : 0; });
}
