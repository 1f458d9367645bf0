/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures how long a stream takes to start, and the effect of a property change. Each measurement runs in a new process,
 * because a process loads a driver and builds a program only once. */
#pragma once

#include "process.hpp"
#include "table.hpp"

namespace bench {

/** Program caches of the elements and of the drivers, initially empty. */
class Caches {
public:
  Caches ();
  std::map<std::string, std::string> variables () const;

private:
  TemporaryFolder folder;
};

struct Start {
  /** From the state change to the first frame on the host. */
  double first_frame_us = 0;
  double build_ms = 0, builds = 0;
  /** The time of later frames. */
  double frame_us = 0;
};

/** Starts a pipeline with the element of a case, or with `identity` for "". Throws std::runtime_error. */
Start start_stream (const Caches &caches, const Device &device, const std::string &key, Size size);

struct Change {
  /** The properties, as "name=value". */
  std::string what;
  /** How much later than usual the latest of the following frames came. */
  double delay_us;
};

struct Changes {
  /** Time from frame to frame. */
  double period_us = 0;
  std::vector<Change> changes;
};

/** Cases with known property changes. */
std::vector<std::string> changing_cases ();
/** A stream at 60 frames a second, or as fast as the filter allows, with empty caches; sets one property after another. */
Changes change_stream (const Caches &caches, const Device &device, const std::string &key, Size size);

}  // namespace bench
