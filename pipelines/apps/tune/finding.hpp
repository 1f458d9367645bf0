/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the search found out about one kernel. */
#pragma once

#include "filter/tuning.hpp"

#include <string>

struct Finding {
  std::string key, element;
  gst::cl::Shape shape;
  double shipped_us = 0, best_us = 0;
  /* shapes that were tried, and those whose bytes or whose stream were wrong */
  int tried = 0, wrong = 0;
  /* nothing to gain: at the device's limits as it is shipped */
  bool at_limit = false;
  /* an earlier run has found it */
  bool known = false;

  double gain () const { return best_us > 0 ? shipped_us / best_us : 1; }
};
