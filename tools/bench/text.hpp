/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formats tables. */
#pragma once

#include "bench.hpp"

#include <ostream>

namespace bench {

using Cells = std::vector<std::string>;

/** Puts values in place of signs like @radius, wherever they are. */
std::string filled_in (std::string text, const std::map<std::string, std::string> &values);
/** What a program has printed last. */
std::string last_line (std::string text);

/** Three significant digits; integers from 100 on. */
std::string digits (double value);
/** "typical (min..max)" */
std::string range (const Samples &samples);
/** The first line is the header. */
void print_table (std::ostream &out, const std::vector<Cells> &lines, bool markdown);

}  // namespace bench
