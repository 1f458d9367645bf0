/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/source.hpp"

#include "core/files.hpp"
#include "core/sources.hpp"
#include "core/text.hpp"
#include "program/text.hpp"

#include <algorithm>
#include <sstream>

namespace gst::cl {

namespace {

constexpr gint64 ns_per_ms = 1000000;
/* A file that changed less than this ago may still be incomplete. */
constexpr gint64 settling_ns = 10 * ns_per_ms;

}  // namespace

void
ProgramSource::read (const std::string &path)
{
  InputFile file (path, FileTrust::named, largest_source);
  text = plain_text (file.read ());
  state = file.state ();
  known_location = path;
}

/* Editors write in place or rename; meanwhile the file may be missing or empty. */
void
ProgramSource::look_for_change ()
{
  try {
    const FileState now = InputFile (known_location, FileTrust::named, largest_source).state ();
    const gint64 age = g_get_real_time () * 1000 - (now.seconds * 1000 * ns_per_ms + now.nanoseconds);
    const bool is_settling = age >= 0 && age < settling_ns;
    if (now != state && now.size != 0 && !is_settling)
      read (known_location);
  } catch (const Failure &) {
    /* the file is gone; the known text stays in use */
  }
}

ProgramRequest
ProgramSource::request (const ProgramSettings &settings, size_t inputs)
{
  ProgramRequest request{.kernel = settings.kernel, .defines = settings.defines, .history = settings.history, .inputs = inputs};
  if (!settings.source.empty ()) {
    request.text = plain_text (settings.source);
    request.name = "source";
    return request;
  }
  const std::string &location = settings.location;
  if (location.empty ())
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "There is no kernel: set the property source to OpenCL C, or location to a file that contains it.", "");
  if (location != known_location)
    read (location);
  else if (settings.watch)
    look_for_change ();
  request.text = text.empty () ? "\n" : text;
  request.name = request.location = location;
  return request;
}

std::vector<std::string>
definitions_in (const std::string &text)
{
  std::istringstream stream (text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back (word.compare (0, 2, "-D") == 0 ? word.substr (2) : word);
  return words;
}

std::optional<std::string>
complaint_of_defines (const std::string &text)
{
  for (const std::string &word : definitions_in (text)) {
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
  for (const std::string &word : definitions_in (text))
    options += "-D" + word + " ";
  return options;
}

}  // namespace gst::cl
