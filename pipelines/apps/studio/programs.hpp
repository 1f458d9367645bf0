/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pipelines as programs. */
#pragma once

#include <string>
#include <vector>

namespace studio {

/* Whole programs that play the words of a launch line until the end or an error. */
std::string c_program (const std::vector<std::string> &words);
std::string python_program (const std::vector<std::string> &words);

}  // namespace studio
