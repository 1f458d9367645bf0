/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "text.hpp"

#include <algorithm>
#include <cstdio>

namespace bench {

std::string
filled_in (std::string text, const std::map<std::string, std::string> &values)
{
  for (const auto &[sign, value] : values)
    for (size_t at = text.find (sign); at != std::string::npos; at = text.find (sign, at + value.size ()))
      text.replace (at, sign.size (), value);
  return text;
}

std::string
last_line (std::string text)
{
  while (!text.empty () && text.back () == '\n')
    text.pop_back ();
  return text.substr (text.find_last_of ('\n') + 1);
}

std::string
digits (double value)
{
  char text[32];
  std::snprintf (text, sizeof text, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : value >= 0.1 ? "%.2f" : "%.2g", value);
  return text;
}

std::string
range (const Samples &samples)
{
  return digits (samples.typical ()) + " (" + digits (samples.minimum ()) + ".." + digits (samples.maximum ()) + ")";
}

namespace {

void
print_line (std::ostream &out, const Cells &cells, const std::vector<size_t> &widths, bool markdown)
{
  std::string line;
  for (size_t i = 0; i < cells.size (); i++) {
    const std::string pad (widths[i] - cells[i].size (), ' ');
    if (markdown)
      line += "| " + cells[i] + pad + " ";
    else
      line += (i ? "  " : "") + (i ? pad + cells[i] : cells[i] + pad);
  }
  out << line << (markdown ? "|\n" : "\n");
}

}  // namespace

void
print_table (std::ostream &out, const std::vector<Cells> &lines, bool markdown)
{
  std::vector<size_t> widths (lines[0].size ());
  for (const Cells &cells : lines)
    for (size_t i = 0; i < cells.size (); i++)
      widths[i] = std::max (widths[i], cells[i].size ());
  for (size_t i = 0; i < lines.size (); i++) {
    print_line (out, lines[i], widths, markdown);
    if (i > 0)
      continue;
    Cells rule;
    for (size_t width : widths)
      rule.push_back (std::string (width, '-'));
    print_line (out, rule, widths, markdown);
  }
  out << "\n";
}

}  // namespace bench
