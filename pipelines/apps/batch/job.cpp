/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "job.hpp"

#include "../common/json.hpp"

#include <glib/gstdio.h>

#include <cinttypes>
#include <fstream>

namespace {

constexpr int version = 1;

std::string
path_in (const Job &job, const char *folder, size_t task, const char *ending)
{
  return printed ("%s/%s/%05zu.%s", job.folder.c_str (), folder, task, ending);
}

std::string
frames_path (const Job &job, size_t source)
{
  return printed ("%s/frames/%04zu", job.folder.c_str (), source);
}

Ref<JsonParser>
parse (const std::string &path)
{
  Ref<JsonParser> parser = Ref<JsonParser>::take (json_parser_new ());
  GError *error = nullptr;
  const bool parsed = json_parser_load_from_file (parser.get (), path.c_str (), &error);
  ensure (parsed, error);
  JsonNode *root = json_parser_get_root (parser.get ());
  ensure (root && JSON_NODE_HOLDS_OBJECT (root), nullptr, (path + " is damaged").c_str ());
  return parser;
}

JsonObject *
object_of (const Ref<JsonParser> &parser)
{
  return json_node_get_object (json_parser_get_root (parser.get ()));
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

/* Calls act for every object of an array. */
template <typename Act>
void
for_each (JsonObject *object, const char *name, Act act)
{
  JsonArray *array = json_object_has_member (object, name) ? json_object_get_array_member (object, name) : nullptr;
  for (guint i = 0; array && i < json_array_get_length (array); i++)
    if (JsonNode *node = json_array_get_element (array, i); JSON_NODE_HOLDS_OBJECT (node))
      act (json_node_get_object (node));
}

std::string
clock_text (GstClockTime time)
{
  return printed ("%" GST_TIME_FORMAT, GST_TIME_ARGS (time));
}

std::string
plan_text (const Job &job)
{
  Json json;
  json.begin_object ().member ("version", version).member ("filters", job.filters).member ("encoder", job.encoder);
  json.member ("frames-before", job.before).member ("frames-after", job.after).name ("sources").begin_array ();
  for (const Source &source : job.sources)
    json.begin_object ()
        .member ("path", source.path)
        .member ("name", source.name)
        .member ("frames", source.frames.size ())
        .end_object ();
  json.end_array ().name ("tasks").begin_array ();
  for (const Task &task : job.tasks) {
    json.begin_object ().member ("source", task.source).member ("first-frame", task.first).member ("frames", task.count);
    if (!task.is_whole ())
      json.member ("from", clock_text (job.sources[task.source].frames[task.first]));
    json.end_object ();
  }
  json.end_array ().end_object ();
  return json.text ();
}

void
check (const Job &job)
{
  for (const Task &task : job.tasks) {
    const bool good = task.source < job.sources.size ()
                      && (task.is_whole ()
                          || (task.first < job.sources[task.source].frames.size ()
                              && task.count <= job.sources[task.source].frames.size () - task.first));
    ensure (good, nullptr, (job.folder + "/plan.json does not fit the frames beside it").c_str ());
  }
}

}  // namespace

void
write_file (const std::string &path, const std::string &text)
{
  GError *error = nullptr;
  const bool written = g_file_set_contents_full (
      path.c_str (), text.data (), gssize (text.size ()), G_FILE_SET_CONTENTS_CONSISTENT, 0666, &error);
  ensure (written, error);
}

std::string
Job::chunk_path (size_t task) const
{
  return path_in (*this, "chunks", task, "mkv");
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

bool
Job::is_done (size_t task) const
{
  return g_file_test (result_path (task).c_str (), G_FILE_TEST_IS_REGULAR)
         && g_file_test (chunk_path (task).c_str (), G_FILE_TEST_IS_REGULAR);
}

std::vector<size_t>
Job::pending () const
{
  std::vector<size_t> left;
  for (size_t i = 0; i < tasks.size (); i++)
    if (!is_done (i))
      left.push_back (i);
  return left;
}

void
save_job (const Job &job)
{
  const std::string plan = job.folder + "/plan.json";
  ensure (!g_file_test (plan.c_str (), G_FILE_TEST_EXISTS), nullptr,
      (job.folder + " holds a job already; name another folder, or remove it").c_str ());
  for (const char *name : {"", "/frames", "/chunks", "/logs"})
    ensure (g_mkdir_with_parents ((job.folder + name).c_str (), 0777) == 0, nullptr,
        (job.folder + name + ": " + g_strerror (errno)).c_str ());
  for (size_t i = 0; i < job.sources.size (); i++) {
    std::string lines;
    for (const GstClockTime time : job.sources[i].frames)
      lines += std::to_string (time) + "\n";
    write_file (frames_path (job, i), lines);
  }
  write_file (plan, plan_text (job));
}

Job
load_job (const std::string &folder)
{
  const std::string plan = folder + "/plan.json";
  const Ref<JsonParser> parser = parse (plan);
  JsonObject *root = object_of (parser);
  ensure (number_in (root, "version") == version, nullptr, (plan + " is of another version of cl-batch").c_str ());
  Job job{.folder = folder,
      .filters = text_in (root, "filters"),
      .encoder = text_in (root, "encoder"),
      .before = guint (number_in (root, "frames-before")),
      .after = guint (number_in (root, "frames-after")),
      .sources = {},
      .tasks = {}};
  for_each (root, "sources", [&] (JsonObject *each) {
    Source source{.path = text_in (each, "path"), .name = text_in (each, "name"), .frames = {}};
    std::ifstream lines (frames_path (job, job.sources.size ()));
    for (GstClockTime time; lines >> time;)
      source.frames.push_back (time);
    job.sources.push_back (std::move (source));
  });
  for_each (root, "tasks", [&] (JsonObject *each) {
    job.tasks.push_back ({number_in (each, "source"), number_in (each, "first-frame"), number_in (each, "frames")});
  });
  check (job);
  return job;
}

void
save_result (const Job &job, size_t task, const Result &result)
{
  Json json;
  json.begin_object ().member ("sha256", result.sha256).member ("seconds", result.seconds).name ("frames").begin_array ();
  for (const GstClockTime time : result.frames)
    json.value (time);
  json.end_array ().end_object ();
  write_file (job.result_path (task), json.text ());
}

Result
load_result (const Job &job, size_t task)
{
  const Ref<JsonParser> parser = parse (job.result_path (task));
  JsonObject *root = object_of (parser);
  Result result{.frames = {},
      .sha256 = text_in (root, "sha256"),
      .seconds = json_object_get_double_member_with_default (root, "seconds", 0)};
  JsonArray *frames = json_object_has_member (root, "frames") ? json_object_get_array_member (root, "frames") : nullptr;
  for (guint i = 0; frames && i < json_array_get_length (frames); i++)
    result.frames.push_back (GstClockTime (json_array_get_int_element (frames, i)));
  return result;
}

std::string
hash_of (const std::string &path)
{
  std::ifstream file (path, std::ios::binary);
  ensure (bool (file), nullptr, ("cannot read " + path).c_str ());
  GChecksum *checksum = g_checksum_new (G_CHECKSUM_SHA256);
  std::vector<char> block (1 << 20);
  while (file.read (block.data (), std::streamsize (block.size ())) || file.gcount ())
    g_checksum_update (checksum, reinterpret_cast<const guchar *> (block.data ()), gssize (file.gcount ()));
  const std::string digits = g_checksum_get_string (checksum);
  g_checksum_free (checksum);
  return digits;
}
