/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables for people. */
#pragma once

#include "bench.hpp"

#include <ostream>

namespace bench {

using Cells = std::vector<std::string>;

/** Three significant digits, whole numbers from 100 on. */
std::string digits (double value);
/** "typical (min..max)" */
std::string range (const Samples &samples);
/** The first line is the head. */
void print_table (std::ostream &out, const std::vector<Cells> &lines, bool markdown);

}  // namespace bench
