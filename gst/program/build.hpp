/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds the user's text into a kernel that can be launched. */
#pragma once

#include "filter/operation.hpp"
#include "program/params.hpp"
#include "program/plan.hpp"
#include "program/report.hpp"
#include "program/source.hpp"

namespace gst::cl {

/** Positions of a pixel's samples in the data that a kernel of the pixel scope reads and writes. */
struct PixelLayout {
  int samples = 4;
  /** The position of each component; -1 if there is none. */
  std::array<int, 4> position{0, 1, 2, -1};
};

/** An argument of a kernel after the element's own: an argument of the program, or local memory. */
struct OwnArgument {
  size_t number = 0;
  size_t local_bytes = 0;
};

/** A kernel that was built. `group` is its work-group size, within the driver's limits. */
struct BuiltKernel : PlannedKernel {
  ::cl::Kernel kernel;
  std::vector<OwnArgument> own;
  /** The size of its range, as a fraction of the frame. */
  double scale = 1;
};

/** A requested program, the declarations of its text, and the specification for the compiler. */
struct PlannedProgram {
  ProgramRequest request;
  ProgramPlan plan;
  ProgramSpec spec;
};

/** A program that was built for one stream. */
struct BuiltProgram : PlannedProgram {
  ProgramRef program;
  /** The kernels in the order in which they run. */
  std::vector<BuiltKernel> running = {};
  /** The names of its kernels. */
  std::string name = {};
  /** Whether it sees whole pixels; otherwise one component. */
  bool sees_pixels = false;
  /** Whether its items may return before the macro that writes the result. */
  bool needs_copy = false;
  std::vector<ProgramArgument> arguments = {};
  std::vector<ArgumentBytes> values = {};
};

/** Why a program cannot run. */
struct Refusal {
  ProgramReport report;
  Failure failure;
};

/** Whether frames are read and written in place, and not as pixels at full resolution. */
bool is_direct (const ProgramRequest &request, const Format &format);
PixelLayout pixel_layout (const ProgramRequest &request, const Format &format);

/** Throws TextError. */
PlannedProgram plan_program (const ProgramRequest &request, Runner &runner, const GstVideoInfo &video);

/** The kernels of a program, with their arguments' names and types, but without their values. Throws TextError. */
BuiltProgram make_program (const PlannedProgram &planned, const ProgramRef &program, const Runner &runner);

/** Whether macros may end a kernel before it has written. */
bool has_leaving_macros (const ProgramRequest &request, const ProgramPlan &plan);
/** Whether a program seems to write nothing. */
bool never_writes (const PlannedProgram &program);

/** Turns a mistake in the text, or the failure of a build, into a refusal. */
Refusal refusal_of (const ProgramRequest &request, const TextError &error);
Refusal refusal_of (const ProgramRequest &request, const Failure &failure);

}  // namespace gst::cl
