/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs the tasks of a job: in this program, or through an installed engine. */
#pragma once

#include "balance.hpp"
#include "job.hpp"

struct SubmitOptions {
  /* local, parallel, slurm, snakemake */
  std::string engine = "local";
  /* How many tasks run at a time; 0 for one per device, or for the engine's default. */
  int jobs = 0;
  /* For the local engine: one worker for each device; if empty, the elements choose the device. */
  std::vector<WorkerDevice> devices;
  /* Whether devices get tasks according to their measured speed. */
  bool balances = false;
  /* Arguments for the engine's own program. */
  std::string engine_options;
};

/* Runs the remaining tasks, shows progress, and waits. Returns how many tasks are still not done. Throws if the engine is not
 * installed or refuses. */
size_t submit_job (const Job &job, const SubmitOptions &options);

/* The local engine: each task runs in a process on this machine, one task at a time on each device, or --jobs of them. */
void run_local (const Job &job, const SubmitOptions &options);

/* The path of this program. */
std::string own_path ();
