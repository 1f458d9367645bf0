/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The verbs of cl-batch. */
#pragma once

#include "balance.hpp"
#include "job.hpp"

struct PlanOptions {
  std::vector<std::string> videos;
  std::string folder, filters, encoder = "avenc_ffv1";
  /* Approximate length of a task; 0 for whole videos. */
  double segment_seconds = 0;
  /* How many earlier frames suffice for filters that depend on all of them; negative: none do. */
  int warm_up = -1;
  bool decodes = false;
};

/* Cuts videos into tasks, writes a new job's folder, and prints warnings on standard error. Throws. */
Job plan_job (const PlanOptions &options);

/* Filters the frames of a task, and writes its chunk and its result into the job's folder. An interrupted task leaves neither.
 * Does nothing if the task is done. Throws. */
void run_task (const Job &job, size_t task);

/* Joins the chunks of a job into one video for each source in the folder `out`, or, if the job has one source and `out` has a
 * video's extension, in the file `out`. Audio and subtitles come from the source. Checks the chunks against their tasks'
 * results first, and prints each video's path. Leaves out videos with missing tasks, and throws in the end if there are any, or
 * at once if a check fails. */
void join_job (const Job &job, const std::string &out);

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
