/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probing in child processes: a driver may crash or hang, the report goes on. */
#pragma once

#include "document.hpp"

struct ChildResult {
  /** What it told. */
  Document told;
  /** How the process ended, in words; empty where it ended well. */
  std::string ending;
};

using Variables = std::vector<std::pair<const char *, std::string>>;

/** Runs this program with arguments, and with more variables in its environment, for some seconds at most. An empty
 *  value takes the variable away. With verbose, what it prints on standard error is passed on. */
ChildResult run_self (const std::vector<std::string> &arguments, const Variables &environment, unsigned seconds, bool verbose);

/** To be called first: how this program is started again. */
void remember_self (const char *argv0);
