/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Slurm's job arrays. */
#pragma once

#include "engines.hpp"

/* Submits what is left to do, and waits until it is done or Slurm has given up. Arrays of an earlier call that Slurm still has are waited for
 * first. Throws what sbatch prints where it refuses. */
void run_slurm (const Job &job, const SubmitOptions &options);
