/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "report.hpp"

/** Rows of what a way does. */
std::string method_text (const MethodResult &method);
/** GL contexts, and what devices do with them. */
std::string gl_text (const GlReport &report);
