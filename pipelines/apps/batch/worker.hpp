/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does one task of a job. */
#pragma once

#include "job.hpp"

/* Filters the frames of a task and leaves its chunk and its result in the job's folder. Whatever is interrupted leaves neither. Does
 * nothing where the task is done. Throws. */
void run_task (const Job &job, size_t task);
