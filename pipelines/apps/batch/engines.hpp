/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who runs the tasks of a job: this program, or an engine that exists. */
#pragma once

#include "balance.hpp"
#include "job.hpp"

struct SubmitOptions {
  /* local, parallel, slurm, snakemake */
  std::string engine = "local";
  /* How many tasks at a time; 0 for one a device, or what the engine takes. */
  int jobs = 0;
  /* For the local engine, a worker for each; none for what the elements choose. */
  std::vector<WorkerDevice> devices;
  /* Whether devices are given tasks by their measured speed. */
  bool balances = false;
  /* Arguments for the engine's own program. */
  std::string engine_options;
};

/* Runs what is left to do, with a progress line, and waits. Returns how many tasks are then not done. Throws where the engine is
 * not installed, or refuses. */
size_t submit_job (const Job &job, const SubmitOptions &options);

/* The local engine: tasks on this machine, each in a process of its own, one at a time on each device or --jobs of them. */
void run_local (const Job &job, const SubmitOptions &options);

/* This program's file. */
std::string own_path ();
