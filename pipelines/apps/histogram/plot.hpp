/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms as bars in a terminal. */
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct Curve {
  std::string name;
  /** Of ANSI, 31 for red. */
  int color;
  std::vector<uint64_t> counts;
  unsigned min, max, median;
  double mean, stddev;
};

struct TerminalSize {
  int columns, rows;
};

/** The size of the terminal that standard output is, as it is now; 80 x 24 where it is none. */
TerminalSize terminal_size ();

/** The curves one below the other, each under a line of its numbers, as lines for a terminal of that size. The bars'
 *  heights are square roots of the counts, against the highest bar of the curve. */
std::vector<std::string> draw_curves (const std::vector<Curve> &curves, const TerminalSize &size, bool colored);

/** Standard output as a canvas: redrawn in place on a terminal, appended to elsewhere. */
class Screen {
public:
  Screen ();
  /** Leaves the terminal as it was, under the last picture. */
  ~Screen ();
  Screen (const Screen &) = delete;
  Screen &operator= (const Screen &) = delete;

  void show (const std::vector<Curve> &curves);

private:
  const bool terminal;
};
