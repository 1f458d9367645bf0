/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A job: videos, the filters that they go through, and the tasks that this was cut into. It is a folder:
 *
 *   plan.json                what a person reads
 *   frames/SOURCE            the times of a video's frames, one in a line
 *   chunks/TASK.NAME.mkv     the result of a task
 *   chunks/TASK.json         its frames and the chunk's name, written last: a task that has this file is done
 *   logs/TASK.log            what it printed
 *
 * All times are stream times in nanoseconds. */
#pragma once

#include <gst/gst.h>

#include <string>
#include <utility>
#include <vector>

/* The filters' names for frames-before and frames-after in `stats`: all frames. */
constexpr guint every_frame = G_MAXUINT;

struct Source {
  std::string path;
  /* Of its result, without an extension. */
  std::string name;
  /* The file's size. */
  guint64 bytes = 0;
  /* 0 where the video is not cut. */
  size_t frames = 0;
};

/* Some frames of a source; all of them, whatever they are, where count is 0. */
struct Task {
  size_t source = 0, first = 0, count = 0;
  /* The time of the first. */
  GstClockTime from = 0;

  bool is_whole () const { return count == 0; }
};

struct Job {
  std::string folder, filters, encoder;
  /* How many frames before and after each task's own the filters see. */
  guint before = 0, after = 0;
  std::vector<Source> sources;
  std::vector<Task> tasks;

  std::string result_path (size_t task) const;
  std::string log_path (size_t task) const;
  bool is_done (size_t task) const { return g_file_test (result_path (task).c_str (), G_FILE_TEST_IS_REGULAR); }
  /* Tasks that are not. */
  std::vector<size_t> pending () const;
  /* The times of a source's frames; none where it is not cut. Throws. */
  std::vector<GstClockTime> frames_of (size_t source) const;
};

/* What a task has made. */
struct Result {
  /* The chunk's file, and its SHA-256. */
  std::string chunk, sha256;
  std::vector<GstClockTime> frames;
  double seconds = 0;
  /* Where it was made: the machine, and what GST_CL_DEVICE was. */
  std::string host, device;
  /* What the filters counted: element and text. */
  std::vector<std::pair<std::string, std::string>> stats;
};

/* Makes the folder of a new job. Throws where it holds one already, or cannot be written. */
void make_folder (const std::string &folder);
void save_frames (const Job &job, size_t source, const std::vector<GstClockTime> &frames);
/* Writes the plan, which makes the folder a job. */
void save_plan (const Job &job);
/* Throws where the folder holds no job, or one of another version. */
Job load_job (const std::string &folder);

/* A new file in the job's folder for the result of a task. Nobody else writes it. */
std::string new_chunk (const Job &job, size_t task);
/* The task is done with this result, unless another worker was first: then this chunk is removed. */
void commit_result (const Job &job, size_t task, const Result &result);
/* Removes what killed workers have left of a task that is done. */
void remove_leftovers (const Job &job, size_t task);
Result load_result (const Job &job, size_t task);

/* Writes a file whole or not at all, even where the process is killed. Throws. */
void write_file (const std::string &path, const std::string &text);

/* The SHA-256 of a file, in hexadecimal digits. Throws where it cannot be read. */
std::string hash_of (const std::string &path);
