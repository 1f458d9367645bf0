/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of a kernel: their types, their values from the fields of a GstStructure, and an object that has them as properties, for
 * controllers and sliders. */
#pragma once

#include "core/error.hpp"

#include <gst/gst.h>

#include <cstddef>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

namespace gst::cl {

/** An argument that follows the scope's arguments. */
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

/** The size of a scalar or vector type of OpenCL C in bytes; 0 for other types. */
size_t bytes_of_type (const std::string &type);

/** Whether a text is "#rrggbb" or "#rrggbbaa". */
bool is_colour (const std::string &text);

/** Whether a GstObject can have a property of this name. */
bool can_be_property (const std::string &name);

/** A value for clSetKernelArg(). */
using ArgumentBytes = std::vector<std::byte>;

/** The value of each argument; the default for an argument without a field. fields may be null. Throws Failure (RESOURCE,
 *  SETTINGS), which names the argument. */
std::vector<ArgumentBytes> bind_arguments (const std::vector<ProgramArgument> &arguments, const GstStructure *fields);

/** Arguments with neither a field nor a declaration, separated by commas; their value is 0. */
std::string unset_arguments (const std::vector<ProgramArgument> &arguments, const GstStructure *fields);

/** The fields without an argument of their name, separated by commas. */
std::string unused_fields (const std::vector<ProgramArgument> &arguments, const GstStructure *fields);

/** The object "params" of an element. Its properties are the arguments of the kernel: numbers, switches, and vectors as texts.
 *  Setting one sets the field in the element's property `params`. The object may outlive the element. Thread-safe. */
class ParamsChild {
public:
  explicit ParamsChild (GstElement *owner_) : owner (owner_) {}
  ~ParamsChild () { gst_clear_object (&object); }
  ParamsChild (const ParamsChild &) = delete;
  ParamsChild &operator= (const ParamsChild &) = delete;

  /** Returns a reference; null before the first argument is known. */
  GstObject *ref () const;
  /** Replaces the object if a kernel has other arguments; the element then emits child-removed and child-added. */
  void announce (const std::vector<ProgramArgument> &arguments);

private:
  GstElement *const owner;
  /* held while a field of the element's property changes */
  std::mutex setting;
  /* protected by the owner's object lock */
  GstObject *object = nullptr;
};

}  // namespace gst::cl
