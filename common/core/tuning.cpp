/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/tuning.hpp"

#include "core/debug.hpp"
#include "core/diskcache.hpp"
#include "core/environment.hpp"

#include <glib.h>
#include <glib/gstdio.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"cltuning", "How the work of OpenCL kernels is cut">)

namespace gst::cl {

namespace {

constexpr int tuning_version = 1;
using disk_cache::device_group;

struct Field {
  const char *name;
  int Shape::*member;
};
constexpr Field fields[] = {{"local-x", &Shape::local_x}, {"local-y", &Shape::local_y}, {"samples", &Shape::item_samples},
    {"rows", &Shape::item_rows}, {"value", &Shape::value}};

/* A file that $GST_CL_TUNE names may be anywhere. */
FileTrust
trust_in (const std::string &path, const Device &device)
{
  return path == tuning_file (device) ? FileTrust::own : FileTrust::named;
}

std::string
text_of (GKeyFile *file, const char *group, const char *name)
{
  g_autofree gchar *text = g_key_file_get_string (file, group, name, nullptr);
  return text ? text : "";
}

bool
contains (const std::vector<int> &values, int value)
{
  return value == 0 || std::ranges::find (values, value) != values.end ();
}

}  // namespace

std::map<std::string, TuningEntry>
tuning_entries (GKeyFile *file)
{
  std::map<std::string, TuningEntry> entries;
  g_auto (GStrv) groups = g_key_file_get_groups (file, nullptr);
  for (gchar **group = groups; *group; group++) {
    if (!std::strcmp (*group, device_group))
      continue;
    TuningEntry entry;
    for (const Field &field : fields)
      entry.shape.*field.member = g_key_file_get_integer (file, *group, field.name, nullptr);
    entry.source = text_of (file, *group, "source");
    entry.shipped_us = g_key_file_get_double (file, *group, "shipped-us", nullptr);
    entry.best_us = g_key_file_get_double (file, *group, "best-us", nullptr);
    entries.emplace (*group, std::move (entry));
  }
  return entries;
}

namespace {

/* Returns the file's entries, or an error. A missing file has no entries. */
std::map<std::string, TuningEntry>
read_file (const std::string &path, const Device &device, std::string &error)
{
  std::map<std::string, TuningEntry> entries;
  Ref<GKeyFile> file (g_key_file_new ());
  try {
    file = disk_cache::read_key_file (path, trust_in (path, device));
  } catch (const FileFailure &failure) {
    error = failure.is_missing ? "" : failure.what ();
    return entries;
  } catch (const Failure &failure) {
    error = failure.what ();
    return entries;
  }
  error = g_key_file_get_integer (file.get (), device_group, "version", nullptr) != tuning_version
              ? "it has another version, or is not a tuning file"
              : disk_cache::identity_problem (file.get (), device);
  return error.empty () ? tuning_entries (file.get ()) : entries;
}

bool
write_file (const std::string &path, const Device &device, const std::map<std::string, TuningEntry> &entries)
{
  const Ref<GKeyFile> file (g_key_file_new ());
  g_key_file_set_comment (file.get (), nullptr, nullptr, " Written by cl-tune; may be removed at any time.", nullptr);
  g_key_file_set_integer (file.get (), device_group, "version", tuning_version);
  disk_cache::write_identity (file.get (), device);
  for (const auto &[key, entry] : entries) {
    for (const Field &field : fields)
      if (entry.shape.*field.member)
        g_key_file_set_integer (file.get (), key.c_str (), field.name, entry.shape.*field.member);
    g_key_file_set_string (file.get (), key.c_str (), "source", entry.source.c_str ());
    g_key_file_set_double (file.get (), key.c_str (), "shipped-us", entry.shipped_us);
    g_key_file_set_double (file.get (), key.c_str (), "best-us", entry.best_us);
  }
  return disk_cache::write_key_file (path, trust_in (path, device), file.get ());
}

}  // namespace

std::string
Shape::describe () const
{
  std::string text;
  const auto add = [&text] (const std::string &what) { text += (text.empty () ? "" : ", ") + what; };
  if (local_x)
    add ("group " + std::to_string (local_x) + "x" + std::to_string (local_y));
  if (item_samples)
    add ("samples " + std::to_string (item_samples));
  if (item_rows)
    add ("rows " + std::to_string (item_rows));
  if (value)
    add ("value " + std::to_string (value));
  return text.empty () ? "as shipped" : text;
}

std::string
tuning_file (const Device &device)
{
  return disk_cache::device_file ("tuning", device);
}

std::shared_ptr<Tuning>
Tuning::of (const Device &device)
{
  static std::mutex lock;
  static auto *tables = new std::map<std::string, std::shared_ptr<Tuning>>;
  const char *asked = environment ("GST_CL_TUNE");
  const std::string mode = asked ? asked : "";
  const std::string cache_file = tuning_file (device);
  const std::string file = mode == "off" ? "" : mode.find ('/') != std::string::npos ? mode : cache_file;
  const std::lock_guard guard (lock);
  std::shared_ptr<Tuning> &table = (*tables)[cache_file];
  if (!table) {
    if (mode != "" && mode != "off" && mode != "use" && file != mode)
      GST_WARNING ("GST_CL_TUNE=%s is unknown: use off, use, or a file's path with a slash in it", asked);
    table = std::make_shared<Tuning> (device, file);
  }
  return table;
}

Tuning::Tuning (const Device &device_, std::string file) : device (device_), path (std::move (file))
{
  if (path.empty ())
    return;
  table = read_file (path, device, ignored_because);
  if (!ignored_because.empty ())
    GST_WARNING ("the tuning file %s is ignored: %s; cl-tune --device \"%s\" writes a new one", path.c_str (),
        ignored_because.c_str (), device.name.c_str ());
  else
    GST_INFO ("%zu entries for %s from %s", table.size (), device.describe ().c_str (), path.c_str ());
}

std::optional<Shape>
Tuning::find (const std::string &key, const std::string &source, const Axes &axes) const
{
  const std::lock_guard lock (mutex);
  if (trial && trial->first == key)
    return trial->second;
  const auto found = table.find (key);
  if (found == table.end () || found->second.source != source || found->second.shape == Shape ()
      || !axes.allow (found->second.shape))
    return std::nullopt;
  return found->second.shape;
}

bool
Tuning::empty () const
{
  const std::lock_guard lock (mutex);
  return table.empty () && !trial;
}

std::map<std::string, TuningEntry>
Tuning::entries () const
{
  const std::lock_guard lock (mutex);
  return table;
}

bool
Tuning::store (const std::string &key, const TuningEntry &entry)
{
  const std::lock_guard lock (mutex);
  table[key] = entry;
  if (path.empty ())
    return false;
  /* another process may add entries at the same time */
  const FolderLock folder (std::filesystem::path (path).parent_path ().string ());
  std::string ignored;
  std::map<std::string, TuningEntry> all = read_file (path, device, ignored);
  all[key] = entry;
  return write_file (path, device, all);
}

void
Tuning::clear ()
{
  const std::lock_guard lock (mutex);
  table.clear ();
  if (!path.empty ())
    g_unlink (path.c_str ());
}

void
Tuning::try_shape (const std::string &key, const Shape &shape)
{
  const std::lock_guard lock (mutex);
  trial.emplace (key, shape);
}

void
Tuning::end_trial ()
{
  const std::lock_guard lock (mutex);
  trial.reset ();
}

bool
Axes::allow (const Shape &s) const
{
  const bool group = s.local_x == 0 || std::ranges::find (locals, std::pair (s.local_x, s.local_y)) != locals.end ();
  return group && (s.local_x == 0) == (s.local_y == 0) && contains (samples, s.item_samples) && contains (rows, s.item_rows)
         && contains (values, s.value);
}

std::vector<Shape>
Axes::items () const
{
  std::vector<Shape> shapes;
  for (int value : values)
    shapes.push_back ({.value = value});
  std::vector<int> all_samples = samples, all_rows = rows;
  all_samples.insert (all_samples.begin (), 0);
  all_rows.insert (all_rows.begin (), 0);
  for (int n : all_samples)
    for (int rows_of_item : all_rows)
      if (n || rows_of_item)
        shapes.push_back ({.item_samples = n, .item_rows = rows_of_item});
  return shapes;
}

std::vector<Shape>
Axes::groups () const
{
  std::vector<Shape> shapes;
  for (const auto &[x, y] : locals)
    shapes.push_back ({.local_x = x, .local_y = y});
  return shapes;
}

}  // namespace gst::cl
