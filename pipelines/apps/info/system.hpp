/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Versions, the environment, and the program cache: what needs no driver. */
#pragma once

#include "report.hpp"

Facts describe_system ();
Facts find_variables ();
CacheReport describe_cache ();
