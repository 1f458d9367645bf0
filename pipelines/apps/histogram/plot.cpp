/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace {

constexpr int steps_per_row = 8;

/* The cell of a bar that ends so many eighths above the cell's lower edge. */
const char *
cell (int eighths)
{
  static const char *const blocks[] = {" ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
  return blocks[std::clamp (eighths, 0, steps_per_row)];
}

/* One number a column: the greatest of the bins that it stands for. */
std::vector<uint64_t>
columns_of (const std::vector<uint64_t> &counts, int width)
{
  std::vector<uint64_t> columns (width);
  for (int x = 0; x < width; x++) {
    const size_t begin = x * counts.size () / width;
    const size_t end = std::max (begin + 1, (x + 1) * counts.size () / width);
    columns[x] = *std::max_element (counts.begin () + begin, counts.begin () + end);
  }
  return columns;
}

std::string
title_of (const Curve &curve, int width)
{
  char text[200];
  std::snprintf (text, sizeof text, "%s  %u..%u  mean %.1f  deviation %.1f  median %u", curve.name.c_str (), curve.min,
      curve.max, curve.mean, curve.stddev, curve.median);
  return std::string (text).substr (0, width);
}

std::string
bar_row (const std::vector<int> &heights, int row)
{
  std::string line;
  for (const int height : heights)
    line += cell (height - row * steps_per_row);
  return line;
}

void
draw_curve (std::vector<std::string> &lines, const Curve &curve, int width, int rows, bool colored)
{
  const std::string begin = colored ? "\033[" + std::to_string (curve.color) + "m" : "", end = colored ? "\033[0m" : "";
  const std::vector<uint64_t> columns = columns_of (curve.counts, width);
  const double peak = double (std::max<uint64_t> (*std::ranges::max_element (columns), 1));
  std::vector<int> heights;
  for (const uint64_t count : columns) {
    const double height = std::sqrt (double (count) / peak) * rows * steps_per_row;
    heights.push_back (count ? std::max (1, int (std::lround (height))) : 0);
  }
  lines.push_back (begin + title_of (curve, width) + end);
  for (int row = rows - 1; row >= 0; row--)
    lines.push_back (begin + bar_row (heights, row) + end);
}

}  // namespace

TerminalSize
terminal_size ()
{
  winsize size{};
  if (ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0)
    return {size.ws_col, size.ws_row};
  return {80, 24};
}

std::vector<std::string>
draw_curves (const std::vector<Curve> &curves, const TerminalSize &size, bool colored)
{
  std::vector<std::string> lines;
  if (curves.empty ())
    return lines;
  const int n = int (curves.size ());
  const int rows = std::max (1, (size.rows - 1) / n - 1);
  for (const Curve &curve : curves)
    if (!curve.counts.empty ())
      draw_curve (lines, curve, std::max (size.columns, 1), rows, colored);
  return lines;
}

Screen::Screen () : terminal (isatty (STDOUT_FILENO))
{
  if (terminal)
    std::fputs ("\033[?25l\033[2J", stdout); /* no cursor, all clear */
}

Screen::~Screen ()
{
  if (terminal)
    std::fputs ("\033[0m\033[?25h\n", stdout);
  std::fflush (stdout);
}

void
Screen::show (const std::vector<Curve> &curves)
{
  std::string text = terminal ? "\033[H" : "";
  const std::vector<std::string> lines = draw_curves (curves, terminal_size (), terminal);
  for (size_t i = 0; i < lines.size (); i++)
    /* what a larger picture has left to the right of a line goes, and below the last one */
    text += lines[i] + (terminal ? i + 1 < lines.size () ? "\033[K\r\n" : "\033[K\033[J" : "\n");
  if (!terminal)
    text += "\n";
  std::fputs (text.c_str (), stdout);
  std::fflush (stdout);
}
