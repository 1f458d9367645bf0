/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A job: videos, their filters, and the tasks into which the work is divided. It is stored in a folder:
 *
 *   plan.json                the plan, readable frames/SOURCE            the times of a video's frames, one per line
 * chunks/TASK.NAME.mkv     the result of a task chunks/TASK.json         its frames and the chunk's name; written last, so that
 * a task with this file is done logs/TASK.log            its output
 *
 * All times are stream times in nanoseconds. */
#pragma once

#include <gst/gst.h>

#include <string>
#include <utility>
#include <vector>

/* The value of frames-before and frames-after in `stats` that stands for all frames. */
constexpr guint every_frame = G_MAXUINT;

struct Source {
  std::string path;
  /* The name of its result, without an extension. */
  std::string name;
  /* Size of the file. */
  guint64 bytes = 0;
  /* 0 if the video is one task. */
  size_t frames = 0;
};

/* Consecutive frames of a source; the whole video if count is 0. */
struct Task {
  size_t source = 0, first = 0, count = 0;
  /* The time of the first frame. */
  GstClockTime from = 0;

  bool is_whole () const { return count == 0; }
};

struct Job {
  std::string folder, filters, encoder;
  /* How many frames before and after each task's frames the filters read. */
  guint before = 0, after = 0;
  std::vector<Source> sources;
  std::vector<Task> tasks;

  std::string result_path (size_t task) const;
  std::string log_path (size_t task) const;
  bool is_done (size_t task) const { return g_file_test (result_path (task).c_str (), G_FILE_TEST_IS_REGULAR); }
  /* Tasks that are not done. */
  std::vector<size_t> pending () const;
  /* The times of a source's frames; empty if the source is one task. Throws. */
  std::vector<GstClockTime> frames_of (size_t source) const;
};

/* The result of a task. */
struct Result {
  /* The chunk's file name, and its SHA-256. */
  std::string chunk, sha256;
  std::vector<GstClockTime> frames;
  double seconds = 0;
  /* The machine, and the value of GST_CL_DEVICE. */
  std::string host, device;
  /* Statistics of the filters: element and text. */
  std::vector<std::pair<std::string, std::string>> stats;
};

/* Makes the folder of a new job. Throws if the folder has a job already, or cannot be written. */
void make_folder (const std::string &folder);
/* Removes what is in the folder of a job that has no plan yet. */
void remove_folder (const Job &job);
void save_frames (const Job &job, size_t source, const std::vector<GstClockTime> &frames);
/* Writes the plan, which makes the folder a job. */
void save_plan (const Job &job);
/* Throws if the folder holds no job, or a job of another version. */
Job load_job (const std::string &folder);

/* The name of a new file for a task's result in the job's folder. It is unique. */
std::string new_chunk (const Job &job, size_t task);
/* Marks the task as done with this result, unless another worker was first; then removes this chunk. */
void commit_result (const Job &job, size_t task, const Result &result);
/* Removes files that killed workers have left of a finished task. */
void remove_leftovers (const Job &job, size_t task);
Result load_result (const Job &job, size_t task);

/* Writes a file completely or not at all, even if the process is killed. Throws. */
void write_file (const std::string &path, const std::string &text);

/* The SHA-256 of a file in hexadecimal. Throws if the file cannot be read. */
std::string hash_of (const std::string &path);
