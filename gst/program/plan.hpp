/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The declarations in comments of a text: the kernels' arguments, the order in which kernels run, their work-groups, and the pictures and
 * tables that they share.
 *
 *   // @param strength float 0.5 [0, 1] "How much of the colour is added"
 *   // @pass 1                        the next kernel is the first of several that make a frame
 *   // @group 16 16                   it runs in work-groups of that size
 *   // @local tile 20 20              the number of elements of its argument `local TYPE *tile`
 *   // @scratch rows float4 0.5       a picture between kernels, half as wide and high as the frame
 *   // @table weights float 3 1 2 1   constants */
#pragma once

#include "program/params.hpp"
#include "program/text.hpp"

#include <array>
#include <map>
#include <optional>

namespace gst::cl {

/** A mistake in a text, with advice. Line and column are 0 if they are unknown. */
struct TextError {
  int line, column;
  std::string message, hint;
};

/** A line @param, with the positions of its name and type. */
struct Declaration {
  ProgramArgument argument;
  int line, name_column, type_column;
};

/** A picture that kernels write and later ones read. */
struct ScratchPicture {
  std::string name;
  /** The type of a pixel in memory, the type that kernels see, and the pixel's size in bytes. */
  std::string stored, value;
  size_t bytes = 0;
  /** Whether kernels see values scaled to 0 .. 1. */
  bool scaled = false;
  double scale = 1;

  /** The picture's width (or height) for a frame of width (or height) `whole`. */
  int extent (int whole) const;
};

struct ConstantTable {
  std::string name, type;
  /** Constants in C syntax. */
  std::vector<std::string> values;
};

/** A line @local. */
struct LocalSize {
  size_t elements;
  int line;
};

struct PlannedKernel {
  KernelText text;
  /** The number in the line @pass; 0 without one. */
  int pass = 0;
  /** The work-group size, and the number of its line; zeros without one. */
  std::array<size_t, 2> group{};
  int group_line = 0;
  /** Sizes of its arguments in local memory, by name. */
  std::map<std::string, LocalSize> local;
  /** Indices of the pictures that its body writes, and whether it writes nothing else. */
  std::vector<size_t> written;
  bool writes_scratch_only = false;

  /** How many elements an argument in local memory has. */
  size_t elements_of (const std::string &argument) const
  {
    const auto line = local.find (argument);
    return line == local.end () ? group[0] * group[1] : line->second.elements;
  }
};

struct ProgramPlan {
  explicit ProgramPlan (const std::string &text);

  /** The text without comments. */
  std::string plain;
  /** In the order of the text. */
  std::vector<PlannedKernel> kernels;
  std::vector<ScratchPicture> scratch;
  std::vector<ConstantTable> tables;
  std::vector<Declaration> declared;
  /** The first invalid line @param, and the first other one. */
  std::optional<TextError> param_error, error;

  /** Whether kernels run over whole work-groups, none of whose items returns early. */
  bool has_groups () const;
  /** The kernels that make a frame, in order: the requested one; for "", all passes, or one kernel. */
  std::vector<PlannedKernel> running (const std::string &kernel) const;
  /** Declarations of pictures and tables in OpenCL C; "" if there are none. */
  std::string prelude () const;
  /** The arguments of these kernels that the text alone shows. */
  std::vector<ProgramArgument> arguments_of (const std::string &kernel) const;
  /** Adds the lines @param to the arguments of built kernels. all: whether these are all kernels of the text. Throws TextError if
   *  they do not match. */
  void declare (std::vector<ProgramArgument> &arguments, bool all) const;

  /** Null if there is none. */
  const Declaration *find_declaration (const std::string &name) const;

private:
  void read_lines (const std::string &text);
};

}  // namespace gst::cl
