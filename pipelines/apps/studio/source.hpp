/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sources of pictures, elements for pipelines, and their errors. */
#pragma once

#include "../common/glib.hpp"

#include <string>
#include <vector>

namespace studio {

struct Source {
  enum class Kind { pattern, file, camera };
  Kind kind = Kind::pattern;
  /* the name of a pattern, a URI, or a device */
  std::string what = "smpte";
  /* of a test pattern */
  int width = 1280, height = 720, rate = 30;
  /* length of a test pattern in frames; -1 for no end */
  int frames = -1;

  bool is_live () const { return kind == Kind::camera; }
  std::string title () const;
  /* The words of a launch line, without the final "!". */
  std::vector<std::string> words () const;
  /* Throws std::runtime_error if this is the source's file, which must not be written. */
  void spare (const std::string &path) const;
};

/* A path or a URI as a source; throws std::runtime_error if the file does not exist. */
Source file_source (const std::string &path_or_uri);
/* Sets source if the element of a launch line is one; returns false otherwise. */
bool recognize (GstElement *element, Source &source);

/* Throws std::runtime_error if there is no element of this kind. */
Ref<GstElement> make_element (const char *kind);
/* Parses a part of a launch line as a bin. ghosts: with pads. Throws std::runtime_error, with the text `otherwise` if GStreamer
 * gives no message. */
Ref<GstElement> parse_bin (const std::string &line, bool ghosts, const char *otherwise);
/* Makes a bin with one source pad. Throws std::runtime_error. */
Ref<GstElement> make_source (const Source &source);

/* An error of a pipeline, for users to read. */
struct Problem {
  std::string text, details;
  bool fatal = true;
  /* the element with the error, for comparison */
  const void *source = nullptr;
};

/* Parses an error or a warning from the bus. */
Problem problem_of (GstMessage *message);

}  // namespace studio
