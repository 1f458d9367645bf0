/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a kernel's text says of its arguments: lines such as
 *   // @param strength float 0.5 [0, 1] "How much of the colour is added"
 */
#pragma once

#include "program/params.hpp"

#include <optional>

namespace gst::cl {

/** A mistake in the text, and what to write instead. */
struct TextError {
  int line, column;
  std::string message, hint;
};

/** A line @param, and where its name and its type are. */
struct Declaration {
  ProgramArgument argument;
  int line, name_column, type_column;
};

struct Declarations {
  std::vector<Declaration> lines;
  /** The first line that is not understood; `lines` has the others. */
  std::optional<TextError> error;
};

Declarations declarations_in (const std::string &text);

/** The arguments of the kernel of that name, or of the first, as far as the text alone tells. */
std::vector<ProgramArgument> arguments_in (const std::string &text, const std::string &kernel);

/** Adds what the text declares to the arguments of a kernel that was built. Throws TextError if they do not match. */
void apply_declarations (std::vector<ProgramArgument> &arguments, const std::string &text);

}  // namespace gst::cl
