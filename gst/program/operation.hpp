/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clprogram's operation: chooses the program, and runs it. */
#pragma once

#include "program/build.hpp"

#include <functional>

namespace gst::cl {

/** State that outlives the streams of an element. Streaming thread only. */
struct ProgramState {
  /** The number of sink pads. */
  size_t inputs = 1;
  ProgramSource source;
  /** The last program that was built and could run. */
  std::optional<ProgramRequest> good;
  /** Called with a program when it begins to run. */
  std::function<void (const BuiltProgram &)> announce;
};

std::unique_ptr<Operation> make_program_operation (std::shared_ptr<ProgramState> state);

}  // namespace gst::cl
