/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "process.hpp"

#include <csignal>
#include <filesystem>

namespace bench {

namespace {

/* A copy from the program's start, because OpenCL loaders modify the lists in their variables in place. */
const Strings environment_at_start (g_get_environ ());

/* Also from the start, because a new build may replace the file. */
const std::string program_at_start = std::filesystem::read_symlink ("/proc/self/exe");

std::vector<char *>
pointers (const std::vector<std::string> &arguments)
{
  std::vector<char *> result;
  for (const std::string &argument : arguments)
    result.push_back (const_cast<char *> (argument.c_str ()));
  result.push_back (nullptr);
  return result;
}

}  // namespace

Output
run_program (const std::vector<std::string> &arguments, const std::map<std::string, std::string> &variables)
{
  Strings environment (g_strdupv (environment_at_start.get ()));
  for (const auto &[name, value] : variables)
    environment.reset (g_environ_setenv (environment.release (), name.c_str (), value.c_str (), TRUE));
  gchar *out = nullptr, *err = nullptr;
  gint status = 0;
  const bool spawned = g_spawn_sync (nullptr, pointers (arguments).data (), environment.get (), G_SPAWN_SEARCH_PATH, nullptr,
      nullptr, &out, &err, &status, nullptr);
  return {spawned && g_spawn_check_wait_status (status, nullptr), text_of (out), text_of (err)};
}

std::string
own_program ()
{
  return program_at_start;
}

Helper::Helper (const std::vector<std::string> &arguments)
{
  signal (SIGPIPE, SIG_IGN); /* a helper that has ended is noticed by its answer */
  const auto launcher = Ref<GSubprocessLauncher>::take (g_subprocess_launcher_new (
      GSubprocessFlags (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE)));
  g_subprocess_launcher_set_environ (launcher.get (), environment_at_start.get ());
  child = Ref<GSubprocess>::take (checked_call (
      [&] (GError **error) { return g_subprocess_launcher_spawnv (launcher.get (), pointers (arguments).data (), error); }));
  answers = Ref<GDataInputStream>::take (g_data_input_stream_new (g_subprocess_get_stdout_pipe (child.get ())));
}

Helper::~Helper ()
{
  g_output_stream_close (g_subprocess_get_stdin_pipe (child.get ()), nullptr, nullptr);
  g_subprocess_wait (child.get (), nullptr, nullptr);
}

std::string
Helper::ask (const std::string &line)
{
  const std::string text = line + "\n";
  ensure (g_output_stream_write_all (
              g_subprocess_get_stdin_pipe (child.get ()), text.data (), text.size (), nullptr, nullptr, nullptr),
      "the helper has ended");
  const Chars answer (g_data_input_stream_read_line (answers.get (), nullptr, nullptr, nullptr));
  ensure (bool (answer), "the helper ended at: " + line);
  return answer.get ();
}

TemporaryFolder::TemporaryFolder ()
{
  path = checked_call ([] (GError **error) { return Chars (g_dir_make_tmp ("cl-bench-XXXXXX", error)); }).get ();
}

TemporaryFolder::~TemporaryFolder ()
{
  std::error_code ignored;
  std::filesystem::remove_all (path, ignored);
}

}  // namespace bench
