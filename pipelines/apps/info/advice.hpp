/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What somebody can do who has no device, or not the one that is in the machine. */
#pragma once

#include "report.hpp"

std::vector<std::string> give_advice (const Report &report);
