/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Declarations of a kernel's arguments in its text: lines such as
 *   // @param strength float 0.5 [0, 1] "How much of the colour is added"
 */
#pragma once

#include "program/line.hpp"
#include "program/params.hpp"

#include <optional>

namespace gst::cl {

/** A line @param, with the positions of its name and type. */
struct Declaration {
  ProgramArgument argument;
  int line, name_column, type_column;
};

struct Declarations {
  std::vector<Declaration> lines;
  /** The first invalid line; `lines` has the others. */
  std::optional<TextError> error;
};

Declarations declarations_in (const std::string &text);

/** The arguments, as far as the text alone tells, of the kernel of this name; without a name, of the first kernel or all
 *  passes. */
std::vector<ProgramArgument> arguments_in (const std::string &text, const std::string &kernel);

/** Adds the text's declarations to the arguments of built kernels. all: whether these are all kernels of the text. Throws
 *  TextError if they do not match. */
void apply_declarations (std::vector<ProgramArgument> &arguments, const std::string &text, bool all);

}  // namespace gst::cl
