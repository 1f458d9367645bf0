/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Translates compiler messages about the user's kernel into plain words. */
#pragma once

#include <gst/gst.h>

#include <string>

namespace gst::cl {

/** The outcome of a build, as in the element message GstClProgramBuild. */
struct ProgramReport {
  bool success = false;
  /** The path of the file; "" for the property `source`. */
  std::string location;
  /** The compiler's complete log. */
  std::string log;
  /** The position of the first error; 0 if unknown. */
  int line = 0, column = 0;
  /** The first error, and advice; "" if there is none. */
  std::string message, hint;
  std::string kernel;
  double build_ms = 0;

  GstStructure *to_structure () const;
  /** "FILE:LINE:COLUMN: message. Hint: ..." */
  std::string to_text (const std::string &name) const;
};

/** Fills in a hint and the first error of report.log, which the compiler found in a text of this name. */
void explain_log (ProgramReport &report, const std::string &name, const std::string &text);

}  // namespace gst::cl
