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

/** A kernel that was built. */
struct BuiltKernel {
  ::cl::Kernel kernel;
  std::string name;
  /** The work-group size, within the driver's limits. */
  std::array<size_t, 2> local;
  std::vector<OwnArgument> own;
  /** Whether the kernel writes scratch pictures, and whether it writes nothing else. In the latter case it runs over the whole
   *  frame, whatever the region. */
  bool writes_scratch = false, writes_scratch_only = false;
  /** The size of its range, as a fraction of the frame. */
  double scale = 1;
};

/** A program that was built for one stream. */
struct BuiltProgram {
  ProgramRequest request;
  ProgramSpec spec;
  ProgramRef program;
  /** The kernels in the order in which they run. */
  std::vector<BuiltKernel> kernels;
  std::vector<ScratchPicture> scratch;
  /** Whether every item of a work-group runs to the end (ProgramPlan::has_groups()). */
  bool has_groups;
  /** The names of its kernels. */
  std::string name;
  /** Whether it sees whole pixels; otherwise one component. */
  bool sees_pixels;
  /** Whether its items may return before the macro that writes the result. */
  bool needs_copy;
  std::vector<ProgramArgument> arguments;
  std::vector<ArgumentBytes> values;
};

/** Why a program cannot run. */
struct Refusal {
  ProgramReport report;
  Failure failure;
};

/** Whether frames are read and written in place, and not as pixels at full resolution. */
bool is_direct (const ProgramRequest &request, const Format &format);
PixelLayout pixel_layout (const ProgramRequest &request, const Format &format);

ProgramSpec make_program_spec (const ProgramRequest &request, Runner &runner, const GstVideoInfo &video);

/** The kernels of a program, with their arguments' names and types, but without their values. Throws Refusal. */
BuiltProgram make_program (const ProgramRequest &request, const ProgramSpec &spec, const ProgramRef &program,
    const Runner &runner, const Device &device);

/** The text with an assertion at the end of each running kernel that its local memory is at most so many bytes. */
std::string with_local_limit (const ProgramRequest &request, const ProgramPlan &plan, size_t most);

/** Whether macros may end a kernel before it has written. */
bool has_leaving_macros (const ProgramRequest &request);
/** Whether a text seems to write nothing. */
bool never_writes (const ProgramRequest &request);

/** Turns the failure of a build into a refusal. */
Refusal refusal_of (const ProgramRequest &request, const Failure &failure);
/** A refusal of a text. */
Refusal refuse_text (const ProgramRequest &request, const TextError &error);
/** A refusal of a built program. */
Refusal refuse_program (const ProgramRequest &request, const std::string &message, const std::string &hint);

}  // namespace gst::cl
