/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whole files as text. Both throw std::runtime_error. */
#pragma once

#include <string>

std::string read_file (const std::string &path);
void write_file (const std::string &path, const std::string &text);
