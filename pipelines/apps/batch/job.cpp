/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "job.hpp"

#include "../common/json.hpp"

#include <glib/gstdio.h>

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>

namespace {

constexpr int version = 2;

/* The prefix of a task's files. */
std::string
prefix_of (size_t task)
{
  return printed ("%05zu.", task);
}

std::string
path_in (const Job &job, const char *folder, size_t task, const char *ending)
{
  return job.folder + "/" + folder + "/" + prefix_of (task) + ending;
}

std::string
frames_path (const Job &job, size_t source)
{
  return printed ("%s/frames/%04zu", job.folder.c_str (), source);
}

Json
parse (const std::string &path)
{
  return parse_json (
      [&path] (JsonParser *parser, GError **error) { return json_parser_load_from_file (parser, path.c_str (), error); },
      path + " is damaged");
}

void
check (const Job &job)
{
  for (const Task &task : job.tasks) {
    const size_t frames = task.source < job.sources.size () ? job.sources[task.source].frames : 0;
    const bool good =
        task.source < job.sources.size () && (task.is_whole () || (task.first < frames && task.count <= frames - task.first));
    ensure (good, job.folder + "/plan.json is damaged");
  }
}

}  // namespace

void
write_file (const std::string &path, const std::string &text)
{
  checked_call ([&] (GError **error) {
    return g_file_set_contents_full (
        path.c_str (), text.data (), gssize (text.size ()), G_FILE_SET_CONTENTS_CONSISTENT, 0666, error);
  });
}

std::string
Job::result_path (size_t task) const
{
  return path_in (*this, "chunks", task, "json");
}

std::string
Job::log_path (size_t task) const
{
  return path_in (*this, "logs", task, "log");
}

std::vector<size_t>
Job::pending () const
{
  /* reads the folder once, because its file system may be remote */
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator (folder + "/chunks"))
    names.insert (entry.path ().filename ());
  std::vector<size_t> left;
  for (size_t i = 0; i < tasks.size (); i++)
    if (!names.contains (prefix_of (i) + "json"))
      left.push_back (i);
  return left;
}

std::vector<GstClockTime>
Job::frames_of (size_t source) const
{
  std::vector<GstClockTime> frames;
  if (!sources[source].frames)
    return frames;
  const std::string path = frames_path (*this, source);
  std::ifstream lines (path);
  for (GstClockTime time; lines >> time;)
    frames.push_back (time);
  ensure (frames.size () == sources[source].frames, path + " does not have the frames of the plan");
  return frames;
}

void
make_folder (const std::string &folder)
{
  const std::string plan = folder + "/plan.json";
  ensure (!g_file_test (plan.c_str (), G_FILE_TEST_EXISTS), folder + " holds a job already; name another folder, or remove it");
  for (const char *name : {"", "/frames", "/chunks", "/logs"})
    make_folders (folder + name);
}

void
remove_folder (const Job &job)
{
  std::error_code ignored;
  for (size_t source = 0; source < job.sources.size (); source++)
    std::filesystem::remove (frames_path (job, source), ignored);
  /* what is not empty holds files of others, and stays */
  for (const char *name : {"/frames", "/chunks", "/logs", ""})
    std::filesystem::remove (job.folder + name, ignored);
}

void
save_frames (const Job &job, size_t source, const std::vector<GstClockTime> &frames)
{
  std::string lines;
  for (const GstClockTime time : frames)
    lines += std::to_string (time) + "\n";
  write_file (frames_path (job, source), lines);
}

void
save_plan (const Job &job)
{
  Json json;
  json.member ("version", version).member ("filters", job.filters).member ("encoder", job.encoder);
  json.member ("frames-before", job.before).member ("frames-after", job.after);
  json.objects ("sources", job.sources, [] (Json to, const Source &source) {
    to.member ("path", source.path)
        .member ("name", source.name)
        .member ("bytes", source.bytes)
        .member ("frames", source.frames);
  });
  json.objects ("tasks", job.tasks, [] (Json to, const Task &task) {
    to.member ("source", task.source).member ("first-frame", task.first).member ("frames", task.count);
    if (!task.is_whole ())
      to.member ("from", printed ("%" GST_TIME_FORMAT, GST_TIME_ARGS (task.from)));
  });
  write_file (job.folder + "/plan.json", json.document ());
}

Job
load_job (const std::string &path)
{
  /* engines may run in another folder */
  const std::string folder = text_of (g_canonicalize_filename (path.c_str (), nullptr));
  const std::string plan = folder + "/plan.json";
  ensure (g_file_test (plan.c_str (), G_FILE_TEST_EXISTS), folder + " holds no job; cl-batch plan makes one");
  const Json root = parse (plan);
  ensure (root.integer ("version") == version, plan + " is of another version of cl-batch");
  Job job{.folder = folder,
      .filters = root.text ("filters"),
      .encoder = root.text ("encoder"),
      .before = guint (root.integer ("frames-before")),
      .after = guint (root.integer ("frames-after")),
      .sources = {},
      .tasks = {}};
  for (const Json &each : root.items ("sources"))
    job.sources.push_back ({each.text ("path"), each.text ("name"), each.integer ("bytes"), each.integer ("frames")});
  for (const Json &each : root.items ("tasks"))
    job.tasks.push_back ({each.integer ("source"), each.integer ("first-frame"), each.integer ("frames"), 0});
  check (job);
  return job;
}

std::string
new_chunk (const Job &job, size_t task)
{
  std::string path = path_in (job, "chunks", task, "XXXXXX.mkv");
  const int file = g_mkstemp_full (path.data (), 0, 0666);
  ensure_call (file >= 0, path);
  close (file);
  return path;
}

void
commit_result (const Job &job, size_t task, const Result &result)
{
  Json json;
  json.member ("chunk", text_of (g_path_get_basename (result.chunk.c_str ()))).member ("sha256", result.sha256);
  json.member ("seconds", result.seconds).member ("host", result.host).member ("device", result.device);
  Json stats = json.add_group ("stats");
  for (const auto &[element, text] : result.stats)
    stats.member (element, text);
  json.member ("frames", result.frames);
  const std::string mine = result.chunk + ".json", path = job.result_path (task);
  write_file (mine, json.document ());
  const bool is_there = link (mine.c_str (), path.c_str ()) == 0 || errno == EEXIST;
  /* some file systems do not support links */
  ensure_call (is_there || g_rename (mine.c_str (), path.c_str ()) == 0, path);
  remove_leftovers (job, task);
}

void
remove_leftovers (const Job &job, size_t task)
{
  const std::string kept = load_result (job, task).chunk;
  for (const auto &entry : std::filesystem::directory_iterator (job.folder + "/chunks"))
    if (const std::string name = entry.path ();
        entry.path ().filename ().string ().starts_with (prefix_of (task)) && name != kept && name != job.result_path (task))
      g_unlink (name.c_str ());
}

Result
load_result (const Job &job, size_t task)
{
  const Json root = parse (job.result_path (task));
  Result result{.chunk = job.folder + "/chunks/" + root.text ("chunk"),
      .sha256 = root.text ("sha256"),
      .frames = {},
      .seconds = root.number ("seconds"),
      .host = root.text ("host"),
      .device = root.text ("device"),
      .stats = {}};
  JsonArray *frames = root.list ("frames");
  for (guint i = 0; frames && i < json_array_get_length (frames); i++)
    result.frames.push_back (GstClockTime (json_array_get_int_element (frames, i)));
  return result;
}

std::string
hash_of (const std::string &path)
{
  const std::unique_ptr<GMappedFile, Releases<g_mapped_file_unref>> file (g_mapped_file_new (path.c_str (), FALSE, nullptr));
  ensure (bool (file), "cannot read " + path);
  const std::unique_ptr<GBytes, Releases<g_bytes_unref>> bytes (g_mapped_file_get_bytes (file.get ()));
  return text_of (g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes.get ()));
}
