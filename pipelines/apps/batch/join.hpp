/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Puts the chunks of a job together. */
#pragma once

#include "job.hpp"

/* Writes a video for each source: into the folder out, or, where the job has one source and out has a video's extension, into out. Audio and
 * subtitles come from the source. Chunks are compared with what their tasks said of them first. Returns the videos' paths. Throws where
 * tasks are missing, or something does not agree. */
std::vector<std::string> join_job (const Job &job, const std::string &out);
