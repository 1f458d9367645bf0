/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads and writes pipelines as gst-launch-1.0 lines, and writes them as programs. */
#pragma once

#include "source.hpp"

#include <optional>
#include <vector>

namespace studio {

/* The contents of a line: everything that is needed to play it again. */
struct Line {
  std::optional<Source> source;
  /* the format for the filters; empty if the line has none */
  std::string format;
  std::vector<Ref<GstElement>> filters;
  /* elements that the studio does not support */
  std::vector<std::string> left_out;
};

/* The words of all filters, with "!" between them: their names, and the properties that differ from their defaults. */
std::vector<std::string> row_words (const std::vector<Ref<GstElement>> &filters);
/* All settings of a filter as names and texts; settings of filters inside it as CHILD::NAME. */
std::vector<std::pair<std::string, std::string>> settings_of (GstElement *filter);

/* The words of the whole line, which ends in a window. */
std::vector<std::string> launch_words (
    const Source &source, const std::string &format, const std::vector<Ref<GstElement>> &filters);
/* One line for a shell. */
std::string launch_line (const std::vector<std::string> &words);
/* A shell script with one element per line. */
std::string launch_script (const std::vector<std::string> &words);

/* Complete programs that play the words of a launch line until the end or an error. */
std::string c_program (const std::vector<std::string> &words);
std::string python_program (const std::vector<std::string> &words);

/* Parses a script, a gst-launch-1.0 line, or a chain of filters. Throws std::runtime_error. */
Line read_line (const std::string &text);

}  // namespace studio
