/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Versions, the environment, and the program cache: what needs no driver. */
#pragma once

#include "document.hpp"

/** "system", "variables" and "cache" of the report. */
void tell_system (JsonObject *to);
void tell_variables (JsonObject *to);
void tell_cache (JsonObject *to);
