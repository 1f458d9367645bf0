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

JsonTree
parse (const std::string &path)
{
  return parse_json (
      [&path] (JsonParser *parser, GError **error) { return json_parser_load_from_file (parser, path.c_str (), error); },
      path + " is damaged");
}

std::string
text_in (JsonObject *object, const char *name)
{
  return json_object_get_string_member_with_default (object, name, "");
}

guint64
number_in (JsonObject *object, const char *name)
{
  return guint64 (json_object_get_int_member_with_default (object, name, 0));
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
  ensure (!g_file_test (plan.c_str (), G_FILE_TEST_EXISTS),
      (folder + " holds a job already; name another folder, or remove it").c_str ());
  for (const char *name : {"", "/frames", "/chunks", "/logs"})
    ensure_call (g_mkdir_with_parents ((folder + name).c_str (), 0777) == 0, folder + name);
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
  json.begin_object ().member ("version", version).member ("filters", job.filters).member ("encoder", job.encoder);
  json.member ("frames-before", job.before).member ("frames-after", job.after);
  json.objects ("sources", job.sources, [&json] (const Source &source) {
    json.member ("path", source.path).member ("name", source.name);
    json.member ("bytes", source.bytes).member ("frames", source.frames);
  });
  json.objects ("tasks", job.tasks, [&json] (const Task &task) {
    json.member ("source", task.source).member ("first-frame", task.first).member ("frames", task.count);
    if (!task.is_whole ())
      json.member ("from", printed ("%" GST_TIME_FORMAT, GST_TIME_ARGS (task.from)));
  });
  json.end_object ();
  write_file (job.folder + "/plan.json", json.text ());
}

Job
load_job (const std::string &path)
{
  /* engines may run in another folder */
  const std::string folder = text_of (g_canonicalize_filename (path.c_str (), nullptr));
  const std::string plan = folder + "/plan.json";
  const JsonTree tree = parse (plan);
  JsonObject *root = tree.get ();
  ensure (number_in (root, "version") == version, plan + " is of another version of cl-batch");
  Job job{.folder = folder,
      .filters = text_in (root, "filters"),
      .encoder = text_in (root, "encoder"),
      .before = guint (number_in (root, "frames-before")),
      .after = guint (number_in (root, "frames-after")),
      .sources = {},
      .tasks = {}};
  for (JsonObject *each : items_in (root, "sources"))
    job.sources.push_back (
        {text_in (each, "path"), text_in (each, "name"), number_in (each, "bytes"), number_in (each, "frames")});
  for (JsonObject *each : items_in (root, "tasks"))
    job.tasks.push_back ({number_in (each, "source"), number_in (each, "first-frame"), number_in (each, "frames"), 0});
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
  json.begin_object ().member ("chunk", text_of (g_path_get_basename (result.chunk.c_str ()))).member ("sha256", result.sha256);
  json.member ("seconds", result.seconds).member ("host", result.host).member ("device", result.device);
  json.name ("stats").begin_object ();
  for (const auto &[element, text] : result.stats)
    json.member (element, text);
  json.end_object ().list ("frames", result.frames).end_object ();
  const std::string mine = result.chunk + ".json", path = job.result_path (task);
  write_file (mine, json.text ());
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
  const JsonTree tree = parse (job.result_path (task));
  JsonObject *root = tree.get ();
  Result result{.chunk = job.folder + "/chunks/" + text_in (root, "chunk"),
      .sha256 = text_in (root, "sha256"),
      .frames = {},
      .seconds = json_object_get_double_member_with_default (root, "seconds", 0),
      .host = text_in (root, "host"),
      .device = text_in (root, "device"),
      .stats = {}};
  JsonArray *frames = json_object_has_member (root, "frames") ? json_object_get_array_member (root, "frames") : nullptr;
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
