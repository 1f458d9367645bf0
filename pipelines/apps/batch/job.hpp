/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A job: videos, the filters that they go through, and the tasks that this was cut into. It is a folder:
 *
 *   plan.json            what a person reads
 *   frames/SOURCE        the times of a video's frames, one in a line
 *   chunks/TASK.mkv      the result of a task
 *   chunks/TASK.json     its frames, written last: a task that has this file is done
 *   logs/TASK.log        what it printed
 *
 * All times are stream times in nanoseconds. */
#pragma once

#include <gst/gst.h>

#include <string>
#include <vector>

/* The filters' names for frames-before and frames-after in `stats`: all frames. */
constexpr guint every_frame = G_MAXUINT;

struct Source {
  std::string path;
  /* Of its result, without an extension. */
  std::string name;
  /* Empty where the video cannot be cut. */
  std::vector<GstClockTime> frames;
};

/* Some frames of a source; all of them, whatever they are, where count is 0. */
struct Task {
  size_t source, first, count;

  bool is_whole () const { return count == 0; }
};

struct Job {
  std::string folder, filters, encoder;
  /* How many frames before and after each task's own the filters see. */
  guint before = 0, after = 0;
  std::vector<Source> sources;
  std::vector<Task> tasks;

  std::string chunk_path (size_t task) const;
  std::string result_path (size_t task) const;
  std::string log_path (size_t task) const;
  bool is_done (size_t task) const;
  /* Tasks that are not. */
  std::vector<size_t> pending () const;
};

/* What a task has made. */
struct Result {
  std::vector<GstClockTime> frames;
  /* Of the chunk. */
  std::string sha256;
  double seconds = 0;
};

/* Writes a new job's folder. Throws where there is one already, or it cannot be written. */
void save_job (const Job &job);
/* Throws where the folder holds no job, or one of another version. */
Job load_job (const std::string &folder);

void save_result (const Job &job, size_t task, const Result &result);
Result load_result (const Job &job, size_t task);

/* Writes a file whole or not at all, even where the process is killed. Throws. */
void write_file (const std::string &path, const std::string &text);

/* The SHA-256 of a file, in hexadecimal digits. */
std::string hash_of (const std::string &path);
