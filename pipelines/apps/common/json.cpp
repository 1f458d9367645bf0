/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "json.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

std::string
Json::text () const
{
  JsonNode *root = json_builder_get_root (builder.get ());
  const std::string text = text_of (json_to_string (root, TRUE)) + "\n";
  json_node_unref (root);
  return text;
}

JsonOutput::JsonOutput (bool wanted)
{
  if (!wanted)
    return;
  std::fflush (stdout);
  file = fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  ensure_call (file >= 0 && dup2 (STDERR_FILENO, STDOUT_FILENO) >= 0, "standard output cannot be used");
}

JsonOutput::~JsonOutput ()
{
  if (file >= 0)
    close (file);
}

void
JsonOutput::write (const std::string &document) const
{
  for (size_t done = 0; done < document.size ();) {
    const ssize_t count = ::write (file, document.data () + done, document.size () - done);
    ensure_call (count >= 0 || errno == EINTR, "standard output cannot be written");
    done += count > 0 ? size_t (count) : 0;
  }
}
