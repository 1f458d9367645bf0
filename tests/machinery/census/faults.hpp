/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells the layer which calls must fail, and which objects it reports. */
#pragma once

#include <map>
#include <string>
#include <vector>

namespace faults {

enum class How {
  /** The call returns the code and does nothing. */
  once,
  /** So does every call behind it, of any name; waits return the code once what runs is done. The contexts that are there are
   *  lost: no plan brings them back. */
  for_good,
  /** The command is taken, and its event ends with the code. What waits for it, and what comes behind it in its queue, fails
   *  as the specification wants it (PoCL 3.1 would wait for ever). Calls that are no commands with an event are as with once. */
  event,
  /** The call is right, and returns late. */
  late,
  /** So it is, and it needs what goes at the process's exit: a process that gets there meanwhile ends by SIGABRT. */
  at_exit,
};

/** Which call fails, and how. Retain and release calls never fail, because callers cannot handle that. */
struct Plan {
  /** The n-th call from now on; 0: none. */
  unsigned n = 0;
  How how = How::once;
  int code = 0;
  /** Counts only calls of this name; empty: all calls. */
  std::string function;
};

struct Account {
  /** The names of the calls that could have failed since the plan was made. */
  std::vector<std::string> names;
  /** The calls that failed, in order, each name once. */
  std::vector<std::string> broken;
  /** Live objects by type name: "cl_mem". */
  std::map<std::string, unsigned> alive;
};

}  // namespace faults

/** Exported for tests in the same process: sets the plan. Queues and events that have failed stay failed. */
extern "C" void cl_faults_plan (const faults::Plan *plan);
extern "C" void cl_faults_account (faults::Account *account);
