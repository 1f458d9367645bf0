/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the verbs of cl-batch do with a job. */
#pragma once

#include "job.hpp"

struct PlanOptions {
  std::vector<std::string> videos;
  std::string folder, filters, encoder;
  /* Of a task, about; 0 for whole videos. */
  double segment_seconds = 0;
  /* How many frames are enough for filters that depend on all before them; none where this is negative. */
  int warm_up = -1;
  bool decodes = false;
};

/* Cuts videos into tasks. Writes a new job's folder, and says on standard error what a user should know. Throws. */
Job plan_job (const PlanOptions &options);

/* Filters the frames of a task and leaves its chunk and its result in the job's folder. Whatever is interrupted leaves neither. Does
 * nothing where the task is done. Throws. */
void run_task (const Job &job, size_t task);

/* Puts the chunks of a job together: writes a video for each source, into the folder out, or, where the job has one source and out has a video's extension, into out. Audio and
 * subtitles come from the source. Chunks are compared with what their tasks said of them first. Returns the videos' paths. Throws where
 * tasks are missing, or something does not agree. */
std::vector<std::string> join_job (const Job &job, const std::string &out);
