/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "process.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

namespace bench {

namespace {

std::map<std::string, std::string>
read_environment ()
{
  std::map<std::string, std::string> all;
  gchar **names = g_listenv ();
  for (gchar **name = names; *name; name++)
    all[*name] = g_getenv (*name);
  g_strfreev (names);
  return all;
}

/* As it was when the program began: loaders of OpenCL cut the lists in their variables to pieces where they stand. */
const std::map<std::string, std::string> environment_at_start = read_environment ();

/* Likewise: a new build may take the file's place. */
const std::string program_at_start = std::filesystem::read_symlink ("/proc/self/exe");

std::vector<std::string>
environment_with (const std::map<std::string, std::string> &variables)
{
  std::map<std::string, std::string> all = variables;
  all.insert (environment_at_start.begin (), environment_at_start.end ());
  std::vector<std::string> lines;
  for (const auto &[name, value] : all)
    lines.push_back (name + "=" + value);
  return lines;
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

std::runtime_error
failure (GError *error)
{
  const std::string reason = error->message;
  g_clear_error (&error);
  return std::runtime_error (reason);
}

}  // namespace

Output
run_program (const std::vector<std::string> &arguments, const std::map<std::string, std::string> &variables)
{
  const std::vector<std::string> environment = environment_with (variables);
  gchar *out = nullptr, *err = nullptr;
  gint status = 0;
  const bool spawned = g_spawn_sync (nullptr, pointers (arguments).data (), pointers (environment).data (), G_SPAWN_SEARCH_PATH,
      nullptr, nullptr, &out, &err, &status, nullptr);
  const Output result{spawned && g_spawn_check_wait_status (status, nullptr), spawned ? out : "", spawned ? err : ""};
  g_free (out);
  g_free (err);
  return result;
}

std::string
own_program ()
{
  return program_at_start;
}

Helper::Helper (const std::vector<std::string> &arguments)
{
  signal (SIGPIPE, SIG_IGN); /* a helper that ended is told by its answer */
  GError *error = nullptr;
  const std::vector<std::string> environment = environment_with ({});
  const auto flags = static_cast<GSpawnFlags> (G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL);
  if (!g_spawn_async_with_pipes (nullptr, pointers (arguments).data (), pointers (environment).data (), flags, nullptr, nullptr,
          &pid, &to, &from, nullptr, &error))
    throw failure (error);
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
  GError *error = nullptr;
  gchar *name = g_dir_make_tmp ("gst-cl-bench-XXXXXX", &error);
  if (!name)
    throw failure (error);
  path = name;
  g_free (name);
}

TemporaryFolder::~TemporaryFolder ()
{
  std::error_code ignored;
  std::filesystem::remove_all (path, ignored);
}

}  // namespace bench
