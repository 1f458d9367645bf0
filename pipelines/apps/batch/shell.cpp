/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shell.hpp"

#include "../common/glib.hpp"

std::string
quoted (const std::string &text)
{
  return text_of (g_shell_quote (text.c_str ()));
}

std::string
own_path ()
{
  return text_of (g_file_read_link ("/proc/self/exe", nullptr));
}

std::string
command_of (const Job &job, const std::string &task)
{
  return quoted (own_path ()) + " run " + quoted (job.folder) + " " + task;
}

Output
run_shell (const std::string &line)
{
  const std::string whole = line + " </dev/null";
  const char *argv[]{"/bin/sh", "-c", whole.c_str (), nullptr};
  GError *error = nullptr;
  int status = 0;
  gchar *text = nullptr, *errors = nullptr;
  const bool ran = g_spawn_sync (
      nullptr, const_cast<gchar **> (argv), nullptr, G_SPAWN_DEFAULT, nullptr, nullptr, &text, &errors, &status, &error);
  ensure (ran, error);
  return {status == 0, text_of (text), text_of (errors)};
}
