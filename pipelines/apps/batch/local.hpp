/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks on this machine, each in a process of its own. */
#pragma once

#include "engines.hpp"

/* Runs what is left to do, one task at a time on each device or --jobs of them. */
void run_local (const Job &job, const SubmitOptions &options);
