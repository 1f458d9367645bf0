/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/source.hpp"

#include "core/error.hpp"
#include "program/text.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <sys/stat.h>

namespace gst::cl {

namespace {

constexpr gint64 ns_per_ms = 1000000;
/* A file younger than that may still be in the middle of being written. */
constexpr gint64 settling_ns = 10 * ns_per_ms;

std::vector<std::string>
words_of (const std::string &text)
{
  std::istringstream stream (text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back (word.compare (0, 2, "-D") == 0 ? word.substr (2) : word);
  return words;
}

}  // namespace

std::optional<ProgramSource::Stamp>
ProgramSource::stamp_of (const std::string &path)
{
  struct stat found;
  if (stat (path.c_str (), &found) != 0)
    return std::nullopt;
  return Stamp{found.st_mtim.tv_sec * 1000 * ns_per_ms + found.st_mtim.tv_nsec, found.st_size, found.st_ino};
}

void
ProgramSource::read (const std::string &path)
{
  const Stamp seen = stamp_of (path).value_or (Stamp{});
  g_autofree gchar *content = nullptr;
  gsize length = 0;
  g_autoptr (GError) error = nullptr;
  if (!g_file_get_contents (path.c_str (), &content, &length, &error))
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ,
        std::string ("The file of the kernel cannot be read: ") + error->message, path);
  text.assign (content, length);
  stamp = seen;
  known_location = path;
}

/* Editors write in place or rename; in between the file may be missing or empty. */
void
ProgramSource::look_for_change ()
{
  const std::optional<Stamp> now = stamp_of (known_location);
  if (!now || *now == stamp || now->size == 0)
    return;
  const gint64 age = g_get_real_time () * 1000 - now->mtime_ns;
  if (age >= 0 && age < settling_ns)
    return;
  try {
    read (known_location);
  } catch (const Failure &) {
    /* missing: the known text stays in use */
  }
}

ProgramRequest
ProgramSource::request (const Values &values, size_t inputs)
{
  ProgramRequest request{.kernel = values.text (PROGRAM_KERNEL),
      .defines = values.text (PROGRAM_DEFINES),
      .history = values.integer (PROGRAM_HISTORY),
      .inputs = inputs};
  if (const std::string &own = values.text (PROGRAM_SOURCE); !own.empty ()) {
    request.text = own;
    request.name = "source";
    return request;
  }
  const std::string &location = values.text (PROGRAM_LOCATION);
  if (location.empty ())
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "There is no kernel: set the property source to OpenCL C, or location to a file that contains it.", "");
  if (location != known_location)
    read (location);
  else if (values.boolean (PROGRAM_WATCH))
    look_for_change ();
  request.text = text.empty () ? "\n" : text;
  request.name = request.location = location;
  return request;
}

std::optional<std::string>
complaint_of_defines (const std::string &text)
{
  for (const std::string &word : words_of (text)) {
    const size_t end = std::min (word.find ('='), word.size ());
    if (!is_identifier (std::string_view (word).substr (0, end)) || word.find_first_of ("\"'`", end) != std::string::npos)
      return "\"" + word + "\" is not a definition; write NAME or NAME=VALUE, separated by spaces";
  }
  return std::nullopt;
}

std::string
options_of_defines (const std::string &text)
{
  std::string options;
  for (const std::string &word : words_of (text))
    options += "-D" + word + " ";
  return options;
}

}  // namespace gst::cl
