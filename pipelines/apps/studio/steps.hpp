/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a hand can do with the window, by name: steps given on the command line, done one after the other, for pictures of the
   window, demonstrations and tests. */
#pragma once

#include "window.hpp"

#include <string>
#include <vector>

namespace studio {

class Steps;

/* As long as this lives. */
std::shared_ptr<Steps> run_steps (Window &window, std::vector<std::string> steps);
/* A list of them for people. */
std::string steps_help ();

}  // namespace studio
