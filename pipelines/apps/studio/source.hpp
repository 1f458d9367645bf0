/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What pipelines are made of: where the pictures come from, and elements; and what goes wrong in them. */
#pragma once

#include "../common/glib.hpp"

#include <string>
#include <vector>

namespace studio {

struct Source {
  enum class Kind { pattern, file, camera };
  Kind kind = Kind::pattern;
  /* a pattern's nick, a URI, a device */
  std::string what = "smpte";
  /* of a test pattern */
  int width = 1280, height = 720, rate = 30;
  /* a test pattern's length, -1 without end */
  int frames = -1;

  bool is_live () const { return kind == Kind::camera; }
  std::string title () const;
  /* Words of a launch line, without the last "!". */
  std::vector<std::string> words () const;
};

/* A path or a URI as a source; throws std::runtime_error where there is no such file. */
Source file_source (const std::string &path_or_uri);
/* The source that an element of a launch line stands for; false where it is none. */
bool recognize (GstElement *element, Source &source);

/* Throws std::runtime_error where there is none of that name. */
Ref<GstElement> make_element (const char *kind);
/* A part of a launch line as a bin. ghosts: with pads. Throws std::runtime_error, with the text where GStreamer says nothing. */
Ref<GstElement> parse_bin (const std::string &line, bool ghosts, const char *otherwise);
/* A bin with one source pad, made from the words. Throws std::runtime_error. */
Ref<GstElement> make_source (const Source &source);

/* What went wrong in a pipeline, for people to read. */
struct Problem {
  std::string text, details;
  bool fatal = true;
  /* who complains, for comparing */
  const void *source = nullptr;
};

/* Of an error or a warning from the bus. */
Problem problem_of (GstMessage *message);

}  // namespace studio
