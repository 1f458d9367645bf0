/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of a kernel: their declarations, and their values from the fields of a GstStructure. */
#pragma once

#include "core/error.hpp"

#include <gst/gst.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace gst::cl {

/** An argument after those of the scope. */
struct ProgramArgument {
  std::string name;
  /** The type in OpenCL C: "float", "int2". */
  std::string type;
  /** Whether the text has a line @param for it, which sets the members below. */
  bool declared = false;
  /** Whether it is a bool: an int that is 0 or 1. */
  bool is_switch = false;
  /** The default: numbers separated by commas, or "#rrggbb"; "" stands for 0. */
  std::string initial;
  /** The range of each of its numbers. */
  double minimum = -std::numeric_limits<double>::infinity (), maximum = std::numeric_limits<double>::infinity ();
  std::string blurb;

  bool operator== (const ProgramArgument &) const = default;
};

/** A type of which the user can give values: `count` numbers in a range. */
struct ParamType {
  const char *name;
  enum { int32, uint32, real, double_real } base;
  unsigned count;
  double least, greatest;

  bool is_integer () const { return base == int32 || base == uint32; }
};

/** Returns null for other types. */
const ParamType *param_type (const std::string &name);

/** Whether a GstObject can have a property of this name. */
bool can_be_property (const std::string &name);

/** A value for clSetKernelArg(). */
using ArgumentBytes = std::vector<std::byte>;

/** The value of each argument; the default for an argument without a field. fields may be null. Throws Failure (RESOURCE,
 *  SETTINGS), which names the argument. */
std::vector<ArgumentBytes> bind_arguments (const std::vector<ProgramArgument> &arguments, const GstStructure *fields);

/** Arguments with neither a field nor a declaration, separated by commas; their value is 0. */
std::string unset_arguments (const std::vector<ProgramArgument> &arguments, const GstStructure *fields);

/** The fields that are no argument's, separated by commas. */
std::string unused_fields (const std::vector<ProgramArgument> &arguments, const GstStructure *fields);

}  // namespace gst::cl
