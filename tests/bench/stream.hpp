/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a stream takes to start, and what a change of a property does to it: each in a process of its own, since a
 * process that has loaded a driver or built a program does not do it again. */
#pragma once

#include "table.hpp"

namespace bench {

/** Program caches of the elements and of the drivers, empty at first. */
class Caches;
std::shared_ptr<Caches> make_caches ();

struct Start {
  /** From the order to play to the first frame on the host. */
  double first_frame_us = 0;
  double build_ms = 0, builds = 0;
  /** What a frame takes later on. */
  double frame_us = 0;
};

/** One start of a pipeline with the element of a case, or with `identity` for "". Throws std::runtime_error. */
Start start_stream (const std::shared_ptr<Caches> &caches, const Device &device, const std::string &key, Size size);

struct Change {
  /** The properties, as "name=value". */
  std::string what;
  /** How much later than usual the latest of the frames after it came. */
  double delay_us;
};

struct Changes {
  /** Time from frame to frame. */
  double period_us = 0;
  std::vector<Change> changes;
};

/** Cases whose properties are known to be worth changing. */
std::vector<std::string> changing_cases ();
/** A stream at 60 frames a second, or as fast as the filter allows, with empty caches; one property after the other. */
Changes change_stream (const std::shared_ptr<Caches> &caches, const Device &device, const std::string &key, Size size);

}  // namespace bench
