/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "report.hpp"

/** GL contexts, and what devices do with them. */
std::string gl_text (const GlReport &report);
