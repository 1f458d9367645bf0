/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "facts.hpp"

#include "../common/glib.hpp"

#include <cstdio>
#include <sstream>

namespace {

/* Marks the lines that are ours: drivers print to standard output too. */
constexpr char mark = '\x1e';

}  // namespace

void
tell (const std::string &name, const std::string &value)
{
  std::string line = value;
  for (char &c : line)
    if (static_cast<unsigned char> (c) < ' ')
      c = ' ';
  std::printf ("\n%c%s\t%s\n", mark, name.c_str (), line.c_str ());
  std::fflush (stdout);
}

Facts
parse_facts (const std::string &output)
{
  Facts facts;
  std::istringstream lines (output);
  for (std::string line; std::getline (lines, line);) {
    const size_t tab = line.find ('\t');
    if (line.empty () || line[0] != mark || tab == std::string::npos)
      continue;
    facts.emplace_back (line.substr (1, tab - 1), text_of (g_utf8_make_valid (line.c_str () + tab + 1, -1)));
  }
  return facts;
}

const std::string &
fact (const Facts &facts, const std::string &name)
{
  static const std::string none;
  for (const auto &[known, value] : facts)
    if (known == name)
      return value;
  return none;
}

std::string
present (const std::string &list, const std::vector<std::string> &names)
{
  const std::string padded = " " + list + " ";
  std::string found;
  for (const std::string &name : names)
    if (padded.find (" " + name + " ") != std::string::npos)
      found += (found.empty () ? "" : " ") + name;
  return found;
}

std::string
hexadecimal (const unsigned char *bytes, size_t count)
{
  std::string text;
  for (size_t i = 0; i < count; i++)
    text += printed ("%02x", bytes[i]);
  return text;
}
