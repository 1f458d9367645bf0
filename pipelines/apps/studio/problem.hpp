/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What went wrong in a pipeline, for people to read. */
#pragma once

#include "../common/glib.hpp"

#include <string>

namespace studio {

struct Problem {
  std::string text, details;
  bool fatal = true;
  /* who complains, for comparing */
  const void *source = nullptr;
};

/* Of an error or a warning from the bus. */
Problem problem_of (GstMessage *message);

}  // namespace studio
