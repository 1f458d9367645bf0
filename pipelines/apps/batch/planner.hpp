/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cuts videos into tasks. */
#pragma once

#include "job.hpp"

struct PlanOptions {
  std::vector<std::string> videos;
  std::string folder, filters, encoder;
  /* Of a task, about; 0 for whole videos. */
  double segment_seconds = 0;
  /* How many frames are enough for filters that depend on all before them; none where this is negative. */
  int warm_up = -1;
  bool decodes = false;
};

/* Writes a new job's folder, and says on standard error what a user should know. Throws. */
Job plan_job (const PlanOptions &options);
