/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets the arguments of a kernel from the fields of a GstStructure. */
#pragma once

#include "core/error.hpp"

#include <gst/gst.h>

#include <cstddef>
#include <string>
#include <vector>

namespace gst::cl {

/** An argument behind those of the scope. */
struct ProgramArgument {
  std::string name;
  /** As OpenCL C writes it: "float", "int2". */
  std::string type;

  bool operator== (const ProgramArgument &) const = default;
};

/** Whether values of this type can be given. */
bool is_param_type (const std::string &type);

/** What clSetKernelArg() takes. */
using ArgumentBytes = std::vector<std::byte>;

/** The value of each argument. fields: may be null. Throws Failure (RESOURCE, SETTINGS), which names the argument. */
std::vector<ArgumentBytes> bind_arguments (const std::vector<ProgramArgument> &arguments, const GstStructure *fields);

/** The fields that no argument takes, separated by commas. */
std::string unused_fields (const std::vector<ProgramArgument> &arguments, const GstStructure *fields);

}  // namespace gst::cl
