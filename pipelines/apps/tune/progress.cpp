/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "progress.hpp"

#include "../common/glib.hpp"
#include "finding.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <unistd.h>

namespace {

constexpr int bar_length = 24, line_length = 100;

}  // namespace

std::string
short_name (const std::string &key)
{
  const size_t first = key.find (' ');
  return first == std::string::npos ? key : key.substr (0, key.find (' ', first + 1));
}

Progress::Progress (bool quiet_) : quiet (quiet_), terminal (isatty (STDERR_FILENO)) {}

Progress::~Progress ()
{
  clear ();
}

void
Progress::clear ()
{
  if (shown)
    std::fprintf (stderr, "\r%*s\r", line_length, "");
  shown = false;
}

void
Progress::at (size_t element, size_t n_elements)
{
  done = double (element) / n_elements;
  next = double (element + 1) / n_elements;
}

void
Progress::show (const std::string &element, const std::string &key, int tried, int n)
{
  if (quiet || !terminal)
    return;
  const double part = done + (next - done) * std::min (1.0, n ? double (tried) / n : 0);
  const int full = int (part * bar_length);
  std::ostringstream text;
  text << '[' << std::string (full, '#') << std::string (bar_length - full, '.') << "] " << int (part * 100) << "% "
       << element.substr (0, element.find (' ')) << ": " << short_name (key) << ' ' << tried << '/' << n;
  std::string line = text.str ();
  line.resize (line_length, ' ');
  std::fprintf (stderr, "\r%s", line.c_str ());
  std::fflush (stderr);
  shown = true;
}

void
Progress::result (const std::string &line)
{
  clear ();
  if (!quiet)
    std::fprintf (stderr, "%s\n", line.c_str ());
}

void
Progress::found (const Finding &finding)
{
  result (printed ("%5.2fx %9.1f us  %-42s %s  (%s)", finding.gain (), finding.best_us, short_name (finding.key).c_str (),
      finding.shape.describe ().c_str (), finding.element.c_str ()));
}

void
Progress::say (const std::string &line)
{
  clear ();
  std::fprintf (stderr, "cl-tune: %s\n", line.c_str ());
}
