/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a hand can do with the window, by name. */
#pragma once

#include "window.hpp"

#include <string>

namespace studio {

/* Throws an exception where there is no such act, or where it fails. */
void act (Window &window, const std::string &name, const std::string &argument);
/* A list of them for people. */
std::string acts_help ();

}  // namespace studio
