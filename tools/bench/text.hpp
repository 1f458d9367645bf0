/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formats tables. */
#pragma once

#include "bench.hpp"

#include <ostream>

namespace bench {

using Cells = std::vector<std::string>;

/** Three significant digits; integers from 100 on. */
std::string digits (double value);
/** "typical (min..max)" */
std::string range (const Samples &samples);
/** The first line is the header. */
void print_table (std::ostream &out, const std::vector<Cells> &lines, bool markdown);

}  // namespace bench
