/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a text says of its kernels beside their arguments: the order in which they run, their work-groups, and the pictures and
 * tables that they share.
 *
 *   // @pass 1                        the next kernel is the first of several that make a frame
 *   // @group 16 16                   it runs in work-groups of that size
 *   // @local tile 20 20              so many elements of its argument `local TYPE *tile`
 *   // @scratch rows float4 0.5       a picture between kernels, half as wide and high as the frame
 *   // @table weights float 3 1 2 1   constants
 */
#pragma once

#include "program/line.hpp"
#include "program/text.hpp"

#include <array>
#include <map>

namespace gst::cl {

/** A picture that kernels write and later ones read. */
struct ScratchPicture {
  std::string name;
  /** The type of a pixel in memory and as kernels see it, and its bytes in memory. */
  std::string stored, value;
  size_t bytes = 0;
  /** Whether kernels see values 0 .. 1 of full scale. */
  bool scaled = false;
  double scale = 1;

  /** Of a picture beside one of that width, or height. */
  int extent (int whole) const;
};

struct ConstantTable {
  std::string name, type;
  /** As C writes them. */
  std::vector<std::string> values;
};

/** A line @local. */
struct LocalSize {
  size_t elements;
  int line;
};

struct PlannedKernel {
  KernelText text;
  /** Of the line @pass; 0 without one. */
  int pass = 0;
  /** The work-group, and its line; zeros without one. */
  std::array<size_t, 2> group{};
  int group_line = 0;
  /** Its arguments in local memory, by name. */
  std::map<std::string, LocalSize> local;
  /** Numbers of the pictures that its body writes, and whether it writes nothing else. */
  std::vector<size_t> written;
  bool writes_scratch_only = false;
};

struct ProgramPlan {
  /** In the order of the text. */
  std::vector<PlannedKernel> kernels;
  std::vector<ScratchPicture> scratch;
  std::vector<ConstantTable> tables;
  /** The first line that is not understood. */
  std::optional<TextError> error;

  /** Whether kernels run over whole work-groups: none of their items leaves before the others. */
  bool has_groups () const;
  /** Those that make a frame, in order, where that kernel is asked for, or "": all passes, or one kernel. */
  std::vector<PlannedKernel> running (const std::string &kernel) const;
  /** Declares pictures and tables, in OpenCL C; "" if there are none. */
  std::string prelude () const;
};

ProgramPlan plan_of (const std::string &text);

}  // namespace gst::cl
