/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "process.hpp"

#include "../../pipelines/apps/common/glib.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

namespace bench {

namespace {

/* A copy from the program's start, because OpenCL loaders modify the lists in their variables in place. */
const Strings environment_at_start (g_get_environ ());

/* Also from the start, because a new build may replace the file. */
const std::string program_at_start = std::filesystem::read_symlink ("/proc/self/exe");

Strings
environment_with (const std::map<std::string, std::string> &variables)
{
  gchar **all = g_strdupv (environment_at_start.get ());
  for (const auto &[name, value] : variables)
    all = g_environ_setenv (all, name.c_str (), value.c_str (), TRUE);
  return Strings (all);
}

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
  const Strings environment = environment_with (variables);
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
  const auto flags = static_cast<GSpawnFlags> (G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL);
  checked_call ([&] (GError **error) {
    return g_spawn_async_with_pipes (nullptr, pointers (arguments).data (), environment_at_start.get (), flags, nullptr,
        nullptr, &pid, &to, &from, nullptr, error);
  });
}

Helper::~Helper ()
{
  close (to);
  close (from);
  waitpid (pid, nullptr, 0);
  g_spawn_close_pid (pid);
}

std::string
Helper::ask (const std::string &line)
{
  const std::string text = line + "\n";
  if (write (to, text.data (), text.size ()) != ssize_t (text.size ()))
    throw std::runtime_error ("the helper has ended");
  for (;;) {
    if (const size_t end = received.find ('\n'); end != std::string::npos) {
      const std::string answer = received.substr (0, end);
      received.erase (0, end + 1);
      return answer;
    }
    char part[4096];
    const ssize_t n = read (from, part, sizeof part);
    if (n <= 0)
      throw std::runtime_error ("the helper ended at: " + line);
    received.append (part, size_t (n));
  }
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
