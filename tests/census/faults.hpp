/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the layer can be told to break, and what it knows of objects. */
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

/** Which call goes wrong, and how. Retaining and releasing never does: no caller can do anything about it. */
struct Plan {
  /** The n-th one from now on; 0: none. */
  unsigned n = 0;
  How how = How::once;
  int code = 0;
  /** Counts calls of this name alone; empty: all. */
  std::string function;
};

struct Account {
  /** The names of the calls that could have failed, since the plan was made. */
  std::vector<std::string> names;
  /** The calls that went wrong, in order, each name once. */
  std::vector<std::string> broken;
  /** Living objects by the name of their type: "cl_mem". */
  std::map<std::string, unsigned> alive;
};

}  // namespace faults

/** Exported by the layer for tests in the same process: from now on this plan holds. Queues and events that failed stay so. */
extern "C" void cl_faults_plan (const faults::Plan *plan);
extern "C" void cl_faults_account (faults::Account *account);
