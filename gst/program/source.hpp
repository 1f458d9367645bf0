/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clprogram's source: its properties, the text that they select, and changes of the file. */
#pragma once

#include "core/files.hpp"

#include <gst/gst.h>

#include <optional>

namespace gst::cl {

struct ProgramSettings {
  std::string source, location, kernel, params, defines;
  bool watch = false;
  int history = 0, timeout = 2000;
};

/** A requested program. Equal requests give equal programs. */
struct ProgramRequest {
  std::string text;
  /** The name in the compiler's log, and the file's path, which is "" for the property `source`. */
  std::string name, location;
  std::string kernel, defines;
  int history = 0;
  /** The number of sink pads. */
  size_t inputs = 1;

  bool operator== (const ProgramRequest &) const = default;
};

/** Reads the file once, and again when it has changed, if it is watched. Not thread-safe. */
class ProgramSource {
public:
  /** Throws FileFailure if there is no text yet and the file cannot be read. */
  ProgramRequest request (const ProgramSettings &settings, size_t inputs);
  /** Makes the next request() read the file even if it is not watched. */
  void forget () { known_location.clear (); }

private:
  void read (const std::string &path);
  void look_for_change ();

  std::string known_location, text;
  FileState state;
};

/** Why a text is not a list of definitions; nothing if it is. */
std::optional<std::string> complaint_of_defines (const std::string &text);
/** The definitions, each NAME or NAME=VALUE. */
std::vector<std::string> definitions_in (const std::string &text);
/** The definitions as options of the compiler. */
std::string options_of_defines (const std::string &text);

}  // namespace gst::cl
