/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What somebody can do who has no device, or not the one that is in the machine. */
#pragma once

#include "document.hpp"

/** "advice" of the report, when it has all else. */
void tell_advice (JsonObject *report);
